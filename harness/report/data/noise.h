// What repeated runs of the reference say of its own determinism, over all cases.
// Plain data; how noise moves a bound is the gate's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/data/place.h"

namespace parity::report {

struct NoiseSummary {
  std::int64_t repeats = 0;  ///< of each case: the fewest where cases differ
  std::uint64_t taps = 0;    ///< of cases that were repeated
  std::uint64_t differing = 0;
  std::optional<Place> first;  ///< in execution order
  std::string sentence;        ///< empty where every run has the same bits
};

}  // namespace parity::report
