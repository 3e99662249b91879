// How often each distance of integers occurs in a chunk: one counter per bin of the ulp histogram
// and binade of the relative error, so that a pair costs one increment. Knows no values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compare/fused_kernel.h"

namespace parity::compare {

/// Place of a pair: bin of the ulp histogram times kIntegerRelatives, plus floor(log2) of its
/// relative error + kIntegerRelativeBias; equal pairs are at 0.
inline constexpr std::size_t kIntegerRelatives = 128;
inline constexpr int kIntegerRelativeBias = 65;
inline constexpr std::size_t kIntegerRelativeTop = 126;   ///< and everything larger
inline constexpr std::size_t kIntegerRelativeNone = 127;  ///< zero reference, non-zero candidate

class IntegerCounts {
 public:
  /// At most a chunk of pairs between two calls of move_to().
  void add(std::span<const std::uint64_t> places);
  /// Adds the counts to those of the chunk and forgets them; `max_ulp` is the largest distance.
  void move_to(std::uint64_t max_ulp, FusedChunk& chunk);

 private:
  std::vector<std::uint16_t> tables_;  ///< empty until something was added
  bool used_ = false;
};

}  // namespace parity::compare
