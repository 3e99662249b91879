#include "history/rhythm.h"

#include <algorithm>
#include <cmath>

namespace parity::history {
namespace {

constexpr std::size_t kLeastIntervals = 4;
/// Nights listed of one gap; a series that was left alone for years lacks no million of them.
constexpr std::int64_t kMostMissing = 366;

std::optional<std::int64_t> period_of(const std::vector<std::int64_t>& times_s,
                                      std::int64_t whole_from_s) {
  std::vector<std::int64_t> intervals;
  for (std::size_t i = 1; i < times_s.size(); ++i) {
    if (times_s[i] > times_s[i - 1] && times_s[i - 1] >= whole_from_s)
      intervals.push_back(times_s[i] - times_s[i - 1]);
  }
  if (intervals.size() < kLeastIntervals) return std::nullopt;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  const std::int64_t period = *middle;
  const auto regular = std::count_if(
      intervals.begin(), intervals.end(),
      [&](std::int64_t interval) { return std::abs(interval - period) * 4 <= period; });
  if (regular * 4 < static_cast<std::ptrdiff_t>(intervals.size()) * 3) return std::nullopt;
  return period;
}

}  // namespace

Rhythm rhythm_of(const std::vector<std::int64_t>& times_s, std::int64_t whole_from_s,
                 std::int64_t now_s) {
  Rhythm rhythm;
  rhythm.period_s = period_of(times_s, whole_from_s);
  if (!rhythm.period_s) return rhythm;
  const std::int64_t period = *rhythm.period_s;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    if (times_s[i] < whole_from_s) continue;
    const bool last = i + 1 == times_s.size();
    const std::int64_t length_s = (last ? now_s : times_s[i + 1]) - times_s[i];
    // Between runs, n periods to the nearest lack n-1; behind the last one every night that should
    // have begun half a period ago is missing.
    const std::int64_t periods = (length_s + period / 2) / period - 1;
    Gap gap{i, {}};
    for (std::int64_t n = 1; n <= std::min(periods, kMostMissing); ++n)
      gap.times_s.push_back(times_s[i] + n * period);
    if (!gap.times_s.empty()) rhythm.gaps.push_back(std::move(gap));
  }
  return rhythm;
}

}  // namespace parity::history
