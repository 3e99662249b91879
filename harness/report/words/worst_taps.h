// The taps that a short report has room for, worst first.
// Orders what was judged and judges nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "report/data/report.h"

namespace parity::report {

struct WorstTap {
  const Case* item;
  const Tap* tap;
};

/// At most `count` taps over all cases: the first divergence, then those that fail, suspect ones
/// and passing ones that differ at all, each by falling nrmse (a tap without figures fails as the
/// largest). They point into `report`.
[[nodiscard]] std::vector<WorstTap> worst_taps(const Report& report, std::size_t count);

}  // namespace parity::report
