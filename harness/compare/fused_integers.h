// The fast way through a block of integers of 16, 32 or 64 bits: any values, so that no block is
// handed back. Knows nothing of 8-bit types, whose pairs are counted instead.
#pragma once

#include <cstdint>
#include <span>

#include "compare/fused_kernel.h"
#include "compare/integer_counts.h"

namespace parity::compare {

/// As the kernels of fused_kernel.h, but for the codes, which go to `counts`. No pair is set apart.
[[nodiscard]] BlockResult fuse_integers(std::span<const std::int16_t> reference,
                                        std::span<const std::int16_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);
[[nodiscard]] BlockResult fuse_integers(std::span<const std::uint16_t> reference,
                                        std::span<const std::uint16_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);
[[nodiscard]] BlockResult fuse_integers(std::span<const std::int32_t> reference,
                                        std::span<const std::int32_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);
[[nodiscard]] BlockResult fuse_integers(std::span<const std::uint32_t> reference,
                                        std::span<const std::uint32_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);
[[nodiscard]] BlockResult fuse_integers(std::span<const std::int64_t> reference,
                                        std::span<const std::int64_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);
[[nodiscard]] BlockResult fuse_integers(std::span<const std::uint64_t> reference,
                                        std::span<const std::uint64_t> candidate, FusedChunk& chunk,
                                        IntegerCounts& counts);

}  // namespace parity::compare
