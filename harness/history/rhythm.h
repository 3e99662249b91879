// How regularly nights follow each other, and which ones are missing. Looks at times alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace parity::history {

/// Expected times without a run, between two runs or behind the last one.
struct Gap {
  std::size_t after = 0;  ///< index of the run before the gap
  std::vector<std::int64_t> times_s;
};

struct Rhythm {
  std::optional<std::int64_t> period_s;  ///< absent where there is none
  std::vector<Gap> gaps;
};

/// `times_s` ascend. The period is the median interval between runs, given at least four intervals
/// of which three in four are within a quarter of it; runs closer together than half a period, as
/// after a retry, are one night. An interval of n periods, to the nearest, lacks n-1 nights.
/// Intervals that start before `whole_from_s`, where nights have been taken out, count for nothing.
/// `now_s` ends the last interval: a night is missing once it is half a period late.
[[nodiscard]] Rhythm rhythm_of(const std::vector<std::int64_t>& times_s, std::int64_t whole_from_s,
                               std::int64_t now_s);

}  // namespace parity::history
