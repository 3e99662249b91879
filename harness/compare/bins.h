// Bins of the two histograms and the quantiles read off them. Integer counts only, so merging has
// no order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "compare/facts.h"
#include "tensor/dtype.h"

namespace parity::compare {

/// Bin k >= 2 of the ulp histogram holds 2^(k-2)+1 .. 2^(k-1): 0, 1, 2, 3-4, 5-8, ... up to 64-bit
/// distances.
inline constexpr std::size_t kUlpBins = 66;

/// Bin 0 of the relative histogram is exactly 0, bin k >= 1 starts at 2^(k-61); the last starts at
/// 2^20 and is open. Only 64-bit integers can differ by less than 2^-60; that non-zero rest is
/// counted in bin 1.
inline constexpr int kLowestRelativeExponent = -60;
inline constexpr int kHighestRelativeExponent = 20;
inline constexpr std::size_t kRelativeBins =
    static_cast<std::size_t>(kHighestRelativeExponent - kLowestRelativeExponent) + 2;

using UlpCounts = std::array<std::uint64_t, kUlpBins>;
using RelativeCounts = std::array<std::uint64_t, kRelativeBins>;

[[nodiscard]] constexpr std::size_t ulp_bin(std::uint64_t distance_ulp) {
  if (distance_ulp == 0) return 0;
  return 1 + static_cast<std::size_t>(std::bit_width(distance_ulp - 1));
}

/// Bin of a relative error whose floor(log2) is `exponent`.
[[nodiscard]] constexpr std::size_t relative_bin_of_exponent(int exponent) {
  if (exponent < kLowestRelativeExponent) exponent = kLowestRelativeExponent;
  if (exponent > kHighestRelativeExponent) exponent = kHighestRelativeExponent;
  return static_cast<std::size_t>(exponent - kLowestRelativeExponent) + 1;
}

/// Bin of a relative error >= 0, +Inf included.
[[nodiscard]] constexpr std::size_t relative_bin(double relative) {
  if (relative == 0) return 0;
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(relative) >> 52U);
  return relative_bin_of_exponent(field - 1023);
}

/// As many bins as the largest distance of `dtype` needs.
[[nodiscard]] Histogram ulp_histogram(const UlpCounts& counts, tensor::DType dtype);
[[nodiscard]] Histogram relative_histogram(const RelativeCounts& counts);

/// Whether a bin's upper edge is a value of the bin (whole numbers of ulp) or the next bin's lower
/// edge.
enum class UpperEdge : std::uint8_t { inclusive_integer, next_edge };

/// Nearest-rank quantiles: the upper edge of the bin that holds the rank, and never more than
/// `max`. Exact, hence not `approximate`, when every rank falls into a bin of one value.
[[nodiscard]] Quantiles quantiles(const Histogram& histogram, UpperEdge upper_edge, double max);

}  // namespace parity::compare
