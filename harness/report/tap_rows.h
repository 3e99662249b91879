// One row of the table per tap: which columns there are and what stands in them.
#pragma once

#include <cstddef>
#include <vector>

#include "report/columns.h"
#include "report/report.h"

namespace parity::report {

[[nodiscard]] std::vector<ColumnSpec> tap_columns();
/// Position of the histogram in tap_columns().
[[nodiscard]] std::size_t histogram_column();

enum class IsFirstDivergence : std::uint8_t { no, yes };
[[nodiscard]] Row tap_row(const Tap& tap, IsFirstDivergence first);

/// The tap's name; "(root)" for the model itself, whose path is empty.
[[nodiscard]] std::string tap_name(const run::TapId& id);

}  // namespace parity::report
