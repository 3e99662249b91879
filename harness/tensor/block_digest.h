// The XXH3-128 digest of bytes that lie elsewhere, from sums over their blocks. Of more than 240
// bytes XXH3 adds up 1024 at a time before it stirs, and such sums are independent of each other: a
// device works them out side by side and hands over a sixteenth of the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/digest.h"

namespace parity::tensor {

inline constexpr std::size_t kDigestBlockBytes = 1024;
inline constexpr std::size_t kDigestStripeBytes = 64;  ///< 16 of them are a block
inline constexpr std::size_t kDigestLanes = 8;         ///< 64-bit sums of a block

/// The first 23 of the 24 words (64 bits, little-endian) of XXH3's secret: stripe s and lane l of a
/// block use word s + l.
[[nodiscard]] const std::array<std::uint64_t, 23>& digest_block_keys();

/// How the sums of `length` bytes, more than 240, lie in a buffer: kDigestLanes words for each of
/// `blocks`, then the last bytes themselves.
struct BlockSumLayout {
  std::size_t blocks = 0;      ///< whole blocks with at least one byte behind them
  std::size_t tail_first = 0;  ///< of the bytes that follow the sums: the last block or less, and a
                               ///< stripe before them where there is one
  std::size_t tail_bytes = 0;

  [[nodiscard]] std::size_t sums_bytes() const {
    return blocks * kDigestLanes * sizeof(std::uint64_t);
  }
  [[nodiscard]] std::size_t size_bytes() const { return sums_bytes() + tail_bytes; }
};

[[nodiscard]] BlockSumLayout block_sum_layout(std::size_t length);

/// Lane l of a block's sum is, over its stripes s, the sum of the lower times the upper half of
/// (word ^ key) at l and the word at l ^ 1, modulo 2^64. This is the definition; devices have their
/// own way to it.
void sum_block(std::span<const std::byte, kDigestBlockBytes> block,
               std::span<std::uint64_t, kDigestLanes> sums);

/// Equal to digest_of() of the bytes that `sums` was made from. `sums` is laid out as
/// block_sum_layout(length) says, aligned to 8 bytes.
[[nodiscard]] Digest digest_of_sums(std::span<const std::byte> sums, std::size_t length);

}  // namespace parity::tensor
