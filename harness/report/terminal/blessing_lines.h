// The sentences about what a refreshed golden changes, which a terminal and Markdown share.
// Knows neither escapes nor markup, which each of the two adds.
#pragma once

#include <string>

#include "report/data/blessing.h"

namespace parity::report {

/// "nothing beyond policy default changes", or what does.
[[nodiscard]] std::string verdict_line(const Blessing& blessing);
[[nodiscard]] std::string line_of(const WeightChange& change);
[[nodiscard]] std::string line_of(const CaseChange& change);
[[nodiscard]] std::string line_of(const TapChange& change);
[[nodiscard]] std::string line_of(const LogitsChange& change);
/// "3 better, 1 worse of 8"; "" without a truth.
[[nodiscard]] std::string truth_cell(const ValueChange& change);
/// Where the largest figures are, in words; "" where nothing was measured.
[[nodiscard]] std::string places_line(const ValueChange& change);
/// "59 of 63 taps are identical".
[[nodiscard]] std::string identical_line(const Blessing& blessing);

}  // namespace parity::report
