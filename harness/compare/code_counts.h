// The scalar corners of the fused kernels, shared by all SIMD targets.
// Sees codes and bits of one pair; what they are counted into is the kernels' business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "compare/fused_kernel.h"

namespace parity::compare {

/// Relative code of one pair from float64 arithmetic; the reference is not zero.
[[nodiscard]] std::uint8_t relative_code_of(double reference, double candidate);

/// Counts codes within [lowest, highest] one by one.
void count_by_table(const std::uint8_t* codes, std::size_t count, std::size_t lowest,
                    std::size_t highest, std::array<std::uint64_t, 256>& counts);

/// Distances of a float64 block. Relative codes as in FusedChunk, 0 for equal pairs.
struct Float64Distances {
  alignas(64) std::uint64_t ulp[kBlockElements];
  alignas(64) std::int64_t relative_code[kBlockElements];
};

/// The same as bytes: bin of the ulp histogram, and relative code with 0 for equal pairs.
struct Float64Codes {
  alignas(64) std::uint8_t ulp_bin[kBlockElements];
  alignas(64) std::uint8_t relative[kBlockElements];
};

/// Returns the largest distance in ulp.
[[nodiscard]] std::uint64_t to_codes(const Float64Distances& distances, std::size_t count,
                                     Float64Codes& codes);

/// Whether products of two differences and values of a dtype are exact in float32, as for 16-bit
/// types.
enum class Products : std::uint8_t { rounded, exact };

/// Record of a block whose largest relative error is `largest`, with factors that never miss a
/// larger one. Below 1/2 the cross products of a 16-bit type are exact, so that a tie (frequent
/// there) does not look like a new record.
[[nodiscard]] RelativeRecord record_of(std::span<const float> reference,
                                       std::span<const float> candidate, double largest,
                                       Products products);

}  // namespace parity::compare
