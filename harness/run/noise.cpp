#include "run/noise.h"

#include <algorithm>

namespace parity::run {

TapNoise noise_of(const NoiseRecord& record, std::size_t place) {
  TapNoise noise{record.repeats, 0, {}};
  const auto found = std::find_if(record.taps.begin(), record.taps.end(),
                                  [&](const NoisyTap& noisy) { return noisy.tap == place; });
  if (found != record.taps.end()) {
    noise.differing = found->differing;
    noise.figures = found->figures;
  }
  return noise;
}

}  // namespace parity::run
