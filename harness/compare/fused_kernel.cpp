// Kernels for float32, bfloat16 and float16: encode distances as byte codes, sum in float64, count
// the codes. A histogram increment per element would cost more than all the arithmetic; counting
// bytes by comparison does not.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_kernel.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/fused_kernel.h"

#include <type_traits>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/count_codes-inl.h"
#include "compare/count_near-inl.h"
#include "compare/encode_any-inl.h"
#include "compare/encode_near-inl.h"
#include "compare/encode_near_short-inl.h"
#include "compare/lane_maxima-inl.h"
#include "compare/lane_sums-inl.h"
#include "compare/near_sums-inl.h"
#include "compare/same_bytes-inl.h"
#include "compare/set_apart-inl.h"
#include "compare/settle_ties-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// From the patterns: emulated widening of float16 turns Inf and NaN into numbers.
template <typename L>
HWY_INLINE bool same_finite(const typename L::Bits* reference, const typename L::Bits* candidate,
                            std::size_t count) {
  using Word = std::conditional_t<L::kWidens, std::uint16_t, std::uint32_t>;
  const TagUpTo<Word, 64 / sizeof(Word)> d;
  const auto infinity = hn::Set(d, static_cast<Word>(L::kInfinity));
  const auto* r_from = reinterpret_cast<const Word*>(reference);
  const auto* c_from = reinterpret_cast<const Word*>(candidate);
  auto good = hn::Eq(infinity, infinity);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto r = hn::LoadU(d, r_from + i);
    good = hn::And(
        good, hn::And(hn::Eq(r, hn::LoadU(d, c_from + i)), hn::Ne(hn::And(r, infinity), infinity)));
  }
  return hn::AllTrue(d, good);
}

/// Both sides are the same bits and finite. Adds nothing and returns `careful` when they are not.
template <typename L>
HWY_INLINE BlockResult fuse_identical(const typename L::Bits* reference,
                                      const typename L::Bits* candidate, std::size_t count,
                                      FusedChunk& chunk) {
  const std::size_t lanes = hn::Lanes(FloatTag());
  Lanes squared = load_lanes(chunk.shared_squared);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    if (!same_finite<L>(reference + i, candidate + i, 4 * lanes)) return {};
    for (std::size_t part = 0; part < 4; ++part)
      add_same(L::widen(reference + i + part * lanes), i + part * lanes, squared);
  }
  store_lanes(squared, chunk.shared_squared);
  chunk.elements += count;
  chunk.ulp_codes[kUlpCodeZero] += count;
  return {BlockOutcome::fused, 0};
}

template <typename L>
HWY_INLINE void widen_block(const typename L::Bits* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(FloatTag()))
    hn::Store(L::widen(from + i), FloatTag(), to + i);
}

/// Both sides as float32: the input itself, or 16-bit values widened on the way.
struct WideBlock {
  alignas(64) float reference[kBlockElements];
  alignas(64) float candidate[kBlockElements];
};

template <typename L>
HWY_INLINE void check_record(const float* reference, const float* candidate, std::size_t count,
                             FusedChunk& chunk) {
  const double found = max_relative_of(reference, candidate, count);
  if (found > chunk.record.largest) {
    chunk.record = record_of({reference, count}, {candidate, count}, found, L::kProducts);
  }
}

/// The codes of a near block into the chunk.
template <typename L>
HWY_INLINE void count_near(const BlockCodes& codes, std::size_t count, const NearBlock& block,
                           FusedChunk& chunk) {
  std::uint64_t* ulp_counts = chunk.ulp_codes.data() + kUlpCodeZero;
  const std::uint64_t equal_before = *ulp_counts;
  std::size_t equal = 0;
  if constexpr (L::kWidens) {
    count_short_ulp(codes.ulp, count, block.max_ulp, ulp_counts);
    equal = static_cast<std::size_t>(*ulp_counts - equal_before);
  } else {
    equal = count_byte(codes.ulp, count, kNearUlpZero);
    *ulp_counts += equal;
    count_upwards(codes.ulp, count, kUlpCodeZero + 1, count - equal, ulp_counts + 1);
  }
  constexpr std::size_t kFirst = 256 - static_cast<std::size_t>(-L::kLowestRelative);
  count_upwards(codes.relative, count, kFirst, count - equal,
                chunk.relative_codes.data() + kRelativeCodeBias + L::kLowestRelative);
}

/// The usual block. Adds nothing and returns `careful` when it is of another kind.
template <typename L>
HWY_INLINE BlockResult fuse_near(const typename L::Bits* reference,
                                 const typename L::Bits* candidate, std::size_t count,
                                 BlockCodes& codes, WideBlock& wide, FusedChunk& chunk) {
  NearBlock block;
  NearSums sums = load_near_sums(chunk);
  if constexpr (L::kWidens) {
    block = encode_near_short<L>(reference, candidate, count, chunk.record, codes, sums);
  } else {
    block = encode_near(reference, candidate, count, chunk.record, codes, sums);
  }
  if (!block.near) return {};
  store_near_sums(sums, chunk);
  if (block.may_be_record) {
    if constexpr (L::kWidens) {
      widen_block<L>(reference, count, wide.reference);
      widen_block<L>(candidate, count, wide.candidate);
      check_record<L>(wide.reference, wide.candidate, count, chunk);
    } else {
      check_record<L>(reference, candidate, count, chunk);
    }
  }
  count_near<L>(codes, count, block, chunk);
  chunk.elements += count;
  chunk.max_ulp = block.max_ulp > chunk.max_ulp ? block.max_ulp : chunk.max_ulp;
  const auto top = static_cast<double>(block.max_absolute);
  chunk.max_absolute = top > chunk.max_absolute ? top : chunk.max_absolute;
  return {BlockOutcome::fused, block.max_ulp};
}

/// A near block but for a few pairs, which go to `apart`.
template <typename L>
HWY_INLINE BlockResult fuse_without_apart(const typename L::Bits* reference,
                                          const typename L::Bits* candidate, std::size_t count,
                                          BlockCodes& codes, WideBlock& wide, FusedChunk& chunk,
                                          Apart& apart) {
  using Word = std::conditional_t<L::kWidens, std::uint16_t, std::uint32_t>;
  WithoutApart<Word> kept;
  if (apart.room == 0 || !set_apart(reference, candidate, count, L::near_limits(), kept, apart)) {
    apart.count = 0;
    return {};
  }
  const auto* r = reinterpret_cast<const typename L::Bits*>(kept.reference);
  const auto* c = reinterpret_cast<const typename L::Bits*>(kept.candidate);
  const BlockResult result = fuse_near<L>(r, c, count, codes, wide, chunk);
  // Two zeros stood in for each of them.
  chunk.elements -= apart.count;
  chunk.ulp_codes[kUlpCodeZero] -= apart.count;
  return result;
}

/// Any block of everyday values.
template <typename L>
HWY_INLINE BlockResult fuse_any(const typename L::Bits* reference,
                                const typename L::Bits* candidate, std::size_t count,
                                BlockCodes& codes, WideBlock& wide, FusedChunk& chunk) {
  const BlockRange range =
      encode<L>(reference, candidate, count, chunk.record, codes, wide.reference, wide.candidate);
  if (range.highest >= kBeyond || range.lowest_less_one < kLowest - 1 || range.unusual != 0)
    return {};
  const float* r = wide.reference;
  const float* c = wide.candidate;
  if constexpr (!L::kWidens) {
    r = reference;
    c = candidate;
  }
  add_sums(r, c, count, chunk);
  if (range.may_be_record) check_record<L>(r, c, count, chunk);
  // Rounding keeps order, so a larger difference cannot round to less than the largest so far.
  if (range.max_absolute >= static_cast<float>(chunk.max_absolute)) {
    const double found = max_absolute_of(r, c, count);
    chunk.max_absolute = found > chunk.max_absolute ? found : chunk.max_absolute;
  }
  CodeSpan relative = span_of(codes.relative, count);
  if (relative.highest >= kRelativeCodeBias - 1) {
    settle_ties(r, c, count, codes);
    relative = span_of(codes.relative, count);
  }
  count_codes(codes.relative, count, relative, chunk.relative_codes);
  static_cast<void>(count_one(codes.relative, count, kRelativeCodeNone, chunk.relative_codes));
  count_codes(codes.ulp, count, span_of(codes.ulp, count), chunk.ulp_codes);
  if (range.max_ulp > 1U << 31U)
    static_cast<void>(count_one(codes.ulp, count, kUlpCodeHuge, chunk.ulp_codes));
  chunk.elements += count;
  chunk.zero_sign += range.zero_sign;
  chunk.max_ulp = range.max_ulp > chunk.max_ulp ? range.max_ulp : chunk.max_ulp;
  return {BlockOutcome::fused, range.max_ulp};
}

template <typename L>
HWY_INLINE BlockResult fuse(const typename L::Bits* reference, const typename L::Bits* candidate,
                            std::size_t count, FusedChunk& chunk, Apart& apart) {
  apart.count = 0;
  if (same_bytes(reference, candidate, kBlockGranule * sizeof(typename L::Bits))) {
    const BlockResult identical = fuse_identical<L>(reference, candidate, count, chunk);
    if (identical.outcome == BlockOutcome::fused) return identical;
  }
  BlockCodes codes;
  WideBlock wide;
  // Blocks with many pairs apart come in stretches: after one, a few are not tried.
  constexpr int kNotTried = 7;
  if (chunk.near_pause > 0) {
    --chunk.near_pause;
    return fuse_any<L>(reference, candidate, count, codes, wide, chunk);
  }
  if (!chunk.expect_apart) {
    const BlockResult near = fuse_near<L>(reference, candidate, count, codes, wide, chunk);
    if (near.outcome == BlockOutcome::fused) return near;
  }
  const BlockResult most =
      fuse_without_apart<L>(reference, candidate, count, codes, wide, chunk, apart);
  chunk.expect_apart = apart.count > 0;
  if (most.outcome == BlockOutcome::fused) return most;
  chunk.near_pause = kNotTried;
  return fuse_any<L>(reference, candidate, count, codes, wide, chunk);
}

BlockResult FuseFloat32(const float* reference, const float* candidate, std::size_t count,
                        FusedChunk& chunk, Apart& apart) {
  return fuse<Float32Lanes>(reference, candidate, count, chunk, apart);
}
BlockResult FuseBFloat16(const std::uint16_t* reference, const std::uint16_t* candidate,
                         std::size_t count, FusedChunk& chunk, Apart& apart) {
  return fuse<BFloat16Lanes>(reference, candidate, count, chunk, apart);
}
BlockResult FuseFloat16(const std::uint16_t* reference, const std::uint16_t* candidate,
                        std::size_t count, FusedChunk& chunk, Apart& apart) {
  return fuse<Float16Lanes>(reference, candidate, count, chunk, apart);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

HWY_EXPORT(FuseFloat32);
HWY_EXPORT(FuseBFloat16);
HWY_EXPORT(FuseFloat16);

BlockResult fuse_float32(std::span<const float> reference, std::span<const float> candidate,
                         FusedChunk& chunk, Apart& apart) {
  return HWY_DYNAMIC_DISPATCH(FuseFloat32)(reference.data(), candidate.data(), reference.size(),
                                           chunk, apart);
}
BlockResult fuse_bfloat16(std::span<const std::uint16_t> reference,
                          std::span<const std::uint16_t> candidate, FusedChunk& chunk,
                          Apart& apart) {
  return HWY_DYNAMIC_DISPATCH(FuseBFloat16)(reference.data(), candidate.data(), reference.size(),
                                            chunk, apart);
}
BlockResult fuse_float16(std::span<const std::uint16_t> reference,
                         std::span<const std::uint16_t> candidate, FusedChunk& chunk,
                         Apart& apart) {
  return HWY_DYNAMIC_DISPATCH(FuseFloat16)(reference.data(), candidate.data(), reference.size(),
                                           chunk, apart);
}

}  // namespace parity::compare
#endif  // HWY_ONCE
