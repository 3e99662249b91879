// The scalar corners of the fused kernels, shared by all SIMD targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compare/fused_kernel.h"

namespace parity::compare {

/// Relative code of one pair from float64 arithmetic; the reference is not zero.
[[nodiscard]] std::uint8_t relative_code_of(double reference, double candidate);

/// Counts codes within [lowest, highest] one by one.
void count_by_table(const std::uint8_t* codes, std::size_t count, std::size_t lowest,
                    std::size_t highest, std::array<std::uint64_t, 256>& counts);

/// Counts the distances of a float64 block into `chunk`; returns the largest in ulp.
[[nodiscard]] std::uint64_t count_float64(const double* reference, const double* candidate,
                                          std::size_t count, FusedChunk& chunk);

/// abs(c-r) must pass this times abs(r) for a new maximum of a 32-bit or narrower type,
/// `max_relative` being the largest so far. Below 1/2 the difference is exact in float32, so that
/// two ratios that differ do so by more than 2^-48 of themselves, and an equal ratio (common in
/// narrow types) needs no second look. From 1/2 on look again.
[[nodiscard]] constexpr double relative_threshold(double max_relative) {
  constexpr double kRelativeMargin = 0x1p-50;
  return max_relative * (max_relative < 0.5 ? 1 + kRelativeMargin : 1 - kRelativeMargin);
}

}  // namespace parity::compare
