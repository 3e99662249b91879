// Philox4x32-10, a counter-based random number generator: the n-th block is a pure function of key
// and counter. Integer arithmetic alone, so its bits are the same on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace parity::model {

/// One block. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11; test
/// vectors of Random123.
[[nodiscard]] std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                                        std::array<std::uint32_t, 2> key);

/// An endless row of 64-bit words that anyone can index: word i of `stream` under `seed`.
class PhiloxWords {
 public:
  PhiloxWords(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// Block i / 2 has the counter {low(i / 2), high(i / 2), low(stream), high(stream)} and the key
  /// {low(seed), high(seed)}; an even i takes its words 0 (low) and 1 (high), an odd i its words 2
  /// and 3.
  [[nodiscard]] std::uint64_t word(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

}  // namespace parity::model
