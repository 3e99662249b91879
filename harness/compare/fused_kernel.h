// The fast way through a block of pairs: all figures in one pass over memory, SIMD chosen at run
// time. Knows float32, bfloat16, float16 and float64 with everyday values; a block with anything
// else is handed back untouched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "compare/tally.h"

namespace parity::compare {

/// Elements that are encoded, summed and counted together while they sit in the first-level cache.
inline constexpr std::size_t kBlockElements = 1024;
/// Blocks have a multiple of this many elements; callers pad the last one with zeros on both sides.
inline constexpr std::size_t kBlockGranule = 64;
/// Sums run in this many lanes on every target, element i in lane i % 8, so that no result depends
/// on the SIMD width.
inline constexpr std::size_t kSumLanes = 8;

using LaneSum = std::array<double, kSumLanes>;

/// The largest relative error met so far, and factors that tell in float32 whether a pair could
/// pass it: abs(c-r) * difference_factor > abs(r) * reference_factor. May be carried from chunk to
/// chunk: it only saves work.
struct RelativeRecord {
  double largest = 0;
  float difference_factor = 1;
  float reference_factor = 0;
};

/// What the kernels gather over one chunk. Distances are counted by code, see code_* below, and
/// folded at the end.
struct FusedChunk {
  /// r*r of identical and near blocks: part of each of the three products.
  alignas(64) LaneSum shared_squared{};
  alignas(64) LaneSum near_cross{};  ///< r*(c-r) of near blocks
  alignas(64) LaneSum near_difference_squared{};
  alignas(64) LaneSum reference_squared{};
  alignas(64) LaneSum candidate_squared{};
  alignas(64) LaneSum product{};
  alignas(64) LaneSum difference_squared{};
  alignas(64) LaneSum difference{};
  double max_absolute = 0;
  RelativeRecord record;
  std::uint64_t max_ulp = 0;
  std::uint64_t elements = 0;
  std::uint64_t zero_sign = 0;
  std::array<std::uint64_t, 256> ulp_codes{};
  int near_pause = 0;                         ///< blocks for which the near way is not tried
  bool expect_apart = false;                  ///< the last block had pairs apart
  std::array<std::uint64_t, 256> wide_ulp{};  ///< by bin, non-zero distances of float64
  std::array<std::uint64_t, 256> relative_codes{};
};

/// ulp code: 125 for 0, 126 for 1, 125 + bit width of (ulp - 1) for 32-bit distances below 2^31,
/// 255 beyond.
inline constexpr std::size_t kUlpCodeZero = 125;
inline constexpr std::size_t kUlpCodeHuge = 255;
/// Relative code of a non-zero error: floor(log2(error)) + 128, at most 254; equal pairs are
/// counted by ulp code alone.
inline constexpr int kRelativeCodeBias = 128;
inline constexpr std::size_t kRelativeCodeTop = 254;
/// Zero reference, non-zero candidate: no relative error.
inline constexpr std::size_t kRelativeCodeNone = 255;

/// `careful`: the block holds a value outside the everyday range and nothing has been added.
enum class BlockOutcome : std::uint8_t { fused, careful };

/// Pairs that a kernel leaves out of an otherwise everyday block, for the careful way: a change of
/// sign, a NaN. Which they are is decided pair by pair, and so the same on every target.
struct Apart {
  static constexpr std::size_t kMost = 64;

  std::size_t room = kMost;  ///< 0: the block is handed back instead
  std::size_t count = 0;
  std::array<std::uint16_t, kMost> places{};  ///< within the block, ascending
};

struct BlockResult {
  BlockOutcome outcome = BlockOutcome::careful;
  std::uint64_t max_ulp = 0;
};

/// Both spans have equal size, a multiple of kBlockGranule and at most kBlockElements. The 16-bit
/// types are passed as bit patterns. The record in `chunk` becomes the exact maximum of float64
/// abs(c-r)/abs(r) so far. Pairs in `apart` (its old ones are forgotten) are in none of the chunk's
/// figures; there are none in a block that is handed back, and never in one of float64.
[[nodiscard]] BlockResult fuse_float32(std::span<const float> reference,
                                       std::span<const float> candidate, FusedChunk& chunk,
                                       Apart& apart);
[[nodiscard]] BlockResult fuse_bfloat16(std::span<const std::uint16_t> reference,
                                        std::span<const std::uint16_t> candidate, FusedChunk& chunk,
                                        Apart& apart);
[[nodiscard]] BlockResult fuse_float16(std::span<const std::uint16_t> reference,
                                       std::span<const std::uint16_t> candidate, FusedChunk& chunk,
                                       Apart& apart);
[[nodiscard]] BlockResult fuse_float64(std::span<const double> reference,
                                       std::span<const double> candidate, FusedChunk& chunk,
                                       Apart& apart);

/// Adds the counts and maxima of a finished chunk to the tally and its lanes to the sums. `padding`
/// zero pairs are taken off again.
void fold(const FusedChunk& chunk, std::size_t padding, Tally& tally, ChunkSums& sums);

}  // namespace parity::compare
