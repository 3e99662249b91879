// The fast kernels themselves: which blocks they take, and that every SIMD target gives the same
// bits.
#include "compare/fused_kernel.h"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/awkward_values.h"
#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

using tensor::DType;

template <typename T, typename Bits>
std::vector<T> as_values(const std::vector<Bits>& patterns) {
  std::vector<T> values(patterns.size());
  std::memcpy(values.data(), patterns.data(), patterns.size() * sizeof(T));
  return values;
}

/// The kernel with no room for pairs apart: it takes a block whole or not at all.
template <typename T>
BlockResult whole(BlockResult (*kernel)(std::span<const T>, std::span<const T>, FusedChunk&,
                                        Apart&),
                  const std::vector<T>& reference, const std::vector<T>& candidate,
                  FusedChunk& chunk) {
  Apart none;
  none.room = 0;
  return kernel(reference, candidate, chunk, none);
}

TEST(FusedKernel, TakesBlocksOfEverydayValuesInEveryDType) {
  const auto f32 = everyday_patterns<Float32Format>(kBlockElements, 90, 1);
  const auto f64 = everyday_patterns<Float64Format>(kBlockElements, 380, 2);
  const auto b16 = everyday_patterns<BFloat16Format>(kBlockElements, 90, 3);
  const auto f16 = everyday_patterns<Float16Format>(kBlockElements, 14, 4);
  FusedChunk chunk;
  EXPECT_EQ(whole(&fuse_float32, as_values<float>(f32),
                  as_values<float>(near_patterns<Float32Format>(f32, 5)), chunk)
                .outcome,
            BlockOutcome::fused);
  EXPECT_EQ(whole(&fuse_float64, as_values<double>(f64),
                  as_values<double>(near_patterns<Float64Format>(f64, 5)), chunk)
                .outcome,
            BlockOutcome::fused);
  EXPECT_EQ(whole(&fuse_bfloat16, b16, near_patterns<BFloat16Format>(b16, 5), chunk).outcome,
            BlockOutcome::fused);
  EXPECT_EQ(whole(&fuse_float16, f16, near_patterns<Float16Format>(f16, 5), chunk).outcome,
            BlockOutcome::fused);
  EXPECT_EQ(chunk.elements, 4 * kBlockElements);
}

TEST(FusedKernel, HandsBackBlocksWithOneUnusualValueUntouched) {
  const std::vector<float> ones(kBlockElements, 1.0F);
  for (const float unusual :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e-40F,
        0x1p-103F, 0x1p126F, -std::numeric_limits<float>::max()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{517}, kBlockElements - 1}) {
      std::vector<float> other(kBlockElements, 1.5F);
      other[at] = unusual;
      FusedChunk chunk;
      EXPECT_EQ(whole(&fuse_float32, ones, other, chunk).outcome, BlockOutcome::careful)
          << unusual << " at " << at;
      EXPECT_EQ(whole(&fuse_float32, other, ones, chunk).outcome, BlockOutcome::careful)
          << unusual << " at " << at;
      EXPECT_EQ(chunk.elements, 0U);
      EXPECT_EQ(chunk.max_ulp, 0U);
    }
  }
}

// A block of near pairs with one that is not: the others are taken, and that one is named.
TEST(FusedKernel, SetsOnePairApartOnEverySimdTarget) {
  struct Case {
    std::uint32_t reference;
    std::uint32_t candidate;
  };
  constexpr Case kOdd[] = {
      {0x00000000, 0x00000001},                            // zero against the smallest subnormal
      {0x00000001, 0x00000000}, {0x00000000, 0x80000000},  // zeros of unequal sign
      {0x7F800000, 0x7F800000}, {0x7F7FFFFF, 0x7F800000},  // Inf, also one step from a number
      {0x7F800000, 0x7F7FFFFF}, {0xFF800000, 0x7F800000},
      {0x7FC00000, 0x7FC00000}, {0x7F800001, 0x7F800000},  // NaN, also one step from Inf
      {0x3F800000, 0x7FC00000}, {0x3F800000, 0xBF800000},  // a change of sign
      {0x7F000000, 0xFF000000}, {0x0C800000, 0x0C800001},  // huge ones, tiny ones
      {0x3F800000, 0x3FC00001}};                           // more than half of the reference apart
  const std::vector<std::uint32_t> near(kBlockElements, 0x3F800000);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const Case& odd : kOdd) {
      std::vector<std::uint32_t> reference = near;
      std::vector<std::uint32_t> candidate = near;
      candidate[3] = 0x3F800001;
      reference[517] = odd.reference;
      candidate[517] = odd.candidate;
      FusedChunk chunk;
      Apart apart;
      const BlockResult result =
          fuse_float32(as_values<float>(reference), as_values<float>(candidate), chunk, apart);
      EXPECT_EQ(result.outcome, BlockOutcome::fused);
      ASSERT_EQ(apart.count, 1U) << std::hex << odd.reference << " against " << odd.candidate
                                 << " on " << hwy::TargetName(target);
      EXPECT_EQ(apart.places[0], 517U);
      EXPECT_EQ(chunk.elements, kBlockElements - 1);
      EXPECT_EQ(chunk.ulp_codes[kUlpCodeZero], kBlockElements - 2);
      EXPECT_EQ(chunk.max_ulp, 1U);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(FusedKernel, HandsBackFloat16InfAndNanOnEverySimdTarget) {
  // Highway's emulated widening of float16 turns Inf and NaN into numbers.
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const int unusual : {0x7C00, 0xFC00, 0x7C01, 0xFFFF}) {
      const std::vector<std::uint16_t> ones(kBlockElements, 0x3C00);
      std::vector<std::uint16_t> other = ones;
      other[77] = static_cast<std::uint16_t>(unusual);
      FusedChunk chunk;
      EXPECT_EQ(whole(&fuse_float16, ones, other, chunk).outcome, BlockOutcome::careful)
          << hwy::TargetName(target);
      EXPECT_EQ(whole(&fuse_float16, other, ones, chunk).outcome, BlockOutcome::careful)
          << hwy::TargetName(target);
      EXPECT_EQ(whole(&fuse_float16, other, other, chunk).outcome, BlockOutcome::careful)
          << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(FusedKernel, HandsBackFloat16BlocksWithASubnormalFlushedToZero) {
  const std::vector<std::uint16_t> zeros(kBlockElements, 0);
  std::vector<std::uint16_t> other(kBlockElements, 0);
  FusedChunk chunk;
  other[100] = 0x03FF;
  EXPECT_EQ(whole(&fuse_float16, zeros, other, chunk).outcome, BlockOutcome::careful);
  EXPECT_EQ(whole(&fuse_float16, other, zeros, chunk).outcome, BlockOutcome::careful);
  other[100] = 0x8001;
  EXPECT_EQ(whole(&fuse_float16, other, zeros, chunk).outcome, BlockOutcome::careful);
  other[100] = 0x0400;  // the smallest normal number is no subnormal
  EXPECT_EQ(whole(&fuse_float16, other, zeros, chunk).outcome, BlockOutcome::fused);
}

std::string bytes_of(const FusedChunk& chunk) {
  std::string bytes;
  const auto append = [&](const auto& part) {
    bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));
  };
  append(chunk.reference_squared);
  append(chunk.candidate_squared);
  append(chunk.product);
  append(chunk.difference_squared);
  append(chunk.difference);
  append(chunk.record.largest);
  append(chunk.max_absolute);
  append(chunk.shared_squared);
  append(chunk.near_cross);
  append(chunk.near_difference_squared);
  append(chunk.max_ulp);
  append(chunk.elements);
  append(chunk.zero_sign);
  for (std::size_t code = kUlpCodeZero; code < 256; ++code) append(chunk.ulp_codes[code]);
  for (std::size_t code = 1; code < 256; ++code) append(chunk.relative_codes[code]);
  append(chunk.wide_ulp);
  return bytes;
}

/// Everything the kernels gather over a mix of near and unrelated values, identical blocks and
/// short blocks.
std::string everything_gathered() {
  FusedChunk f32;
  FusedChunk f64;
  FusedChunk b16;
  FusedChunk f16;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::size_t count = seed % 5 == 4 ? kBlockGranule * (1 + seed % 7) : kBlockElements;
    const auto r32 = everyday_patterns<Float32Format>(count, seed % 2 == 0 ? 4 : 90, seed);
    const auto r64 = everyday_patterns<Float64Format>(count, seed % 2 == 0 ? 4 : 380, seed);
    const auto rb = everyday_patterns<BFloat16Format>(count, seed % 2 == 0 ? 4 : 90, seed);
    const auto rh = everyday_patterns<Float16Format>(count, seed % 2 == 0 ? 4 : 14, seed);
    const bool same = seed % 6 == 5;
    const auto c32 = same ? r32 : near_patterns<Float32Format>(r32, seed);
    const auto c64 = same ? r64 : near_patterns<Float64Format>(r64, seed);
    const auto cb = same ? rb : near_patterns<BFloat16Format>(rb, seed);
    const auto ch = same ? rh : near_patterns<Float16Format>(rh, seed);
    static_cast<void>(whole(&fuse_float32, as_values<float>(r32), as_values<float>(c32), f32));
    static_cast<void>(whole(&fuse_float64, as_values<double>(r64), as_values<double>(c64), f64));
    static_cast<void>(whole(&fuse_bfloat16, rb, cb, b16));
    static_cast<void>(whole(&fuse_float16, rh, ch, f16));
  }
  return bytes_of(f32) + bytes_of(f64) + bytes_of(b16) + bytes_of(f16);
}

TEST(FusedKernel, GivesTheSameBitsOnEverySimdTarget) {
  const std::string expected = everything_gathered();
  std::size_t targets = 0;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(everything_gathered(), expected) << hwy::TargetName(target);
    hwy::SetSupportedTargetsForTest(0);
    ++targets;
  }
  EXPECT_GE(targets, 1U);
}

}  // namespace
}  // namespace parity::compare
