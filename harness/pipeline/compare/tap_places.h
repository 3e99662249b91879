// Where each tap of a recorded run stands, by its name. Knows nothing of values. The first of two
// with one name counts.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "run/recording.h"
#include "run/tap.h"

namespace parity::pipeline {

using TapPlaces = std::map<run::TapId, std::size_t>;

[[nodiscard]] TapPlaces places_of(const std::vector<run::TapRecord>& taps);

}  // namespace parity::pipeline
