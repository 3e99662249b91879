// Bit patterns at which comparators go wrong: zeros, subnormals, edges of binades, the fast path's
// limits, Inf, NaN.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "compare/float_format.h"

namespace parity::compare {

/// Every kind of value of format F, both signs.
template <typename F>
std::vector<typename F::Bits> awkward_patterns() {
  using Bits = typename F::Bits;
  std::vector<Bits> patterns;
  const auto both = [&](std::uint64_t magnitude) {
    patterns.push_back(static_cast<Bits>(magnitude));
    patterns.push_back(static_cast<Bits>(magnitude | F::kSign));
  };
  const std::uint64_t one = static_cast<std::uint64_t>(F::kBias) << F::kMantissaBits;
  const std::uint64_t octave = std::uint64_t{1} << F::kMantissaBits;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, octave / 2, octave - 1, octave,
        octave + 1, one - 1, one, one + 1, one + octave / 2, one + octave - 1, one + octave,
        one + octave + 1, one - octave, one - octave + 1}) {
    both(magnitude);
  }
  // Near the largest value; for IEEE formats also Inf and two NaN payloads.
  for (std::uint64_t back = 0; back < 4; ++back) both(F::kMagnitude - back);
  for (std::int64_t step = -2; step <= 2; ++step)
    both(static_cast<std::uint64_t>(static_cast<std::int64_t>(F::kInfinity) + step));
  return patterns;
}

/// Everyday values only: zeros, and magnitudes across `octaves` powers of two on either side of
/// one.
template <typename F>
std::vector<typename F::Bits> everyday_patterns(std::size_t count, int octaves,
                                                std::uint64_t seed) {
  using Bits = typename F::Bits;
  std::mt19937_64 random(seed);
  std::vector<Bits> patterns;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = random();
    const auto exponent = static_cast<std::uint64_t>(
        F::kBias - octaves + static_cast<int>(draw % static_cast<std::uint64_t>(2 * octaves)));
    std::uint64_t mantissa = (draw >> 16U) & F::kMantissa;
    // A third at the ends of the binade, where one step changes the bin.
    if (draw >> 60U < 3) mantissa = (draw >> 12U) % 3;
    if (draw >> 60U == 3) mantissa = F::kMantissa - (draw >> 12U) % 3;
    std::uint64_t magnitude = (exponent << F::kMantissaBits) | mantissa;
    if (draw >> 59U == 31) magnitude = 0;
    const bool negative = (draw >> 40U) % 2 == 1;
    patterns.push_back(static_cast<Bits>(magnitude | (negative ? std::uint64_t{F::kSign} : 0)));
  }
  return patterns;
}

/// A candidate for each reference: most within a few steps, some equal, some unrelated.
template <typename F>
std::vector<typename F::Bits> near_patterns(const std::vector<typename F::Bits>& reference,
                                            std::uint64_t seed) {
  using Bits = typename F::Bits;
  std::mt19937_64 random(seed);
  std::vector<Bits> patterns = reference;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::uint64_t draw = random();
    if (draw % 4 == 0) continue;
    if (draw % 64 == 1) {
      patterns[i] = reference[static_cast<std::size_t>(random() % reference.size())];
      continue;
    }
    const std::uint64_t magnitude = F::magnitude(patterns[i]);
    if (magnitude < 4096 / (F::kTotalBits == 16 ? 64 : 1)) continue;
    const std::uint64_t step = (draw >> 8U) % ((draw >> 32U) % 2 == 0 ? 3 : 40);
    const std::uint64_t moved = (draw >> 33U) % 2 == 0 ? magnitude + step : magnitude - step;
    patterns[i] = static_cast<Bits>(moved | (patterns[i] & F::kSign));
  }
  return patterns;
}

}  // namespace parity::compare
