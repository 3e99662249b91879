// Kernels for float32, bfloat16 and float16: encode distances as byte codes, sum in float64, count
// the codes. A histogram increment per element would cost more than all the arithmetic; counting
// bytes by comparison does not.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_kernel.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/fused_kernel.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/count_codes-inl.h"
#include "compare/encode_any-inl.h"
#include "compare/encode_near-inl.h"
#include "compare/encode_near_short-inl.h"
#include "compare/lane_maxima-inl.h"
#include "compare/lane_sums-inl.h"
#include "compare/same_bytes-inl.h"
#include "compare/settle_ties-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// Both sides are the same bits: only Inf and NaN need care.
template <typename L>
HWY_INLINE BlockResult fuse_identical(const typename L::Bits* patterns, const float* values,
                                      std::size_t count, const Upcoming& next, FusedChunk& chunk) {
  constexpr std::uint32_t kInfinity = 255U << 23U;
  const UintTag du;
  UintVector highest = hn::Zero(du);
  UintVector unusual = hn::Zero(du);
  for (std::size_t i = 0; i < count; i += hn::Lanes(du)) {
    const UintVector bits = hn::BitCast(du, hn::LoadU(FloatTag(), values + i));
    const UintVector magnitude = hn::And(bits, hn::Set(du, kAbsMask));
    const UintVector order = L::order(patterns + i, magnitude);
    highest = hn::Max(highest, magnitude);
    unusual = hn::Or(unusual, L::unusual(order, order, hn::Set(du, ~0U)));
  }
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  if (reduce(highest, max) >= kInfinity || reduce(unusual, max) != 0) return {};
  add_identical(values, count, next, chunk);
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
  alignas(64) float difference[kBlockElements];
};

template <typename L>
HWY_INLINE void check_record(const float* reference, const float* candidate, std::size_t count,
                             FusedChunk& chunk) {
  const double found = max_relative_of(reference, candidate, count);
  if (found > chunk.record.largest) {
    chunk.record = record_of({reference, count}, {candidate, count}, found, L::kProducts);
  }
}

/// The usual block. Adds nothing and returns `careful` when it is of another kind.
template <typename L>
HWY_INLINE BlockResult fuse_near(const typename L::Bits* reference,
                                 const typename L::Bits* candidate, std::size_t count,
                                 BlockCodes& codes, WideBlock& wide, FusedChunk& chunk) {
  NearBlock block;
  const float* r = wide.reference;
  const Upcoming next = after(reference, candidate, count);
  if constexpr (L::kWidens) {
    block = encode_near_short<L>(reference, candidate, count, L::near_limits(), chunk.record, codes,
                                 wide.reference, wide.difference);
  } else {
    r = reference;
    block = encode_near(reference, candidate, count, chunk.record, codes, wide.difference);
  }
  if (!block.near) return {};
  add_near_sums(r, wide.difference, count, next, chunk);
  if (block.may_be_record) {
    const float* c = wide.candidate;
    if constexpr (L::kWidens) {
      widen_block<L>(candidate, count, wide.candidate);
    } else {
      c = candidate;
    }
    check_record<L>(r, c, count, chunk);
  }
  const std::uint64_t equal_before = chunk.ulp_codes[kUlpCodeZero];
  const int bits = static_cast<int>(ulp_bin(block.max_ulp)) + 1;
  if constexpr (L::kWidens) {
    count_short_ulp(codes.ulp, count, chunk.ulp_codes);
  } else {
    count_upwards(codes.ulp, count, kUlpCodeZero, count, bits, chunk.ulp_codes);
  }
  const std::size_t equal = static_cast<std::size_t>(chunk.ulp_codes[kUlpCodeZero] - equal_before);
  count_upwards(codes.relative, count, kRelativeCodeEqual + 1, count - equal, bits,
                chunk.relative_codes);
  chunk.elements += count;
  chunk.max_ulp = block.max_ulp > chunk.max_ulp ? block.max_ulp : chunk.max_ulp;
  const auto top = static_cast<double>(block.max_absolute);
  chunk.max_absolute = top > chunk.max_absolute ? top : chunk.max_absolute;
  return {BlockOutcome::fused, block.max_ulp};
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
  add_sums(r, c, count, after(reference, candidate, count), chunk);
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
                            std::size_t count, FusedChunk& chunk) {
  WideBlock wide;
  if (same_bytes(reference, candidate, count * sizeof(typename L::Bits))) {
    const Upcoming next = after(reference, candidate, count);
    if constexpr (L::kWidens) {
      widen_block<L>(reference, count, wide.reference);
      return fuse_identical<L>(reference, wide.reference, count, next, chunk);
    } else {
      return fuse_identical<L>(reference, reference, count, next, chunk);
    }
  }
  BlockCodes codes;
  // Zeros and sign changes come in stretches: after a block that is not near, a few are not tried.
  constexpr int kNotTried = 7;
  if (chunk.near_pause == 0) {
    const BlockResult near = fuse_near<L>(reference, candidate, count, codes, wide, chunk);
    if (near.outcome == BlockOutcome::fused) return near;
    chunk.near_pause = kNotTried;
  } else {
    --chunk.near_pause;
  }
  return fuse_any<L>(reference, candidate, count, codes, wide, chunk);
}

BlockResult FuseFloat32(const float* reference, const float* candidate, std::size_t count,
                        FusedChunk& chunk) {
  return fuse<Float32Lanes>(reference, candidate, count, chunk);
}
BlockResult FuseBFloat16(const std::uint16_t* reference, const std::uint16_t* candidate,
                         std::size_t count, FusedChunk& chunk) {
  return fuse<BFloat16Lanes>(reference, candidate, count, chunk);
}
BlockResult FuseFloat16(const std::uint16_t* reference, const std::uint16_t* candidate,
                        std::size_t count, FusedChunk& chunk) {
  return fuse<Float16Lanes>(reference, candidate, count, chunk);
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
                         FusedChunk& chunk) {
  return HWY_DYNAMIC_DISPATCH(FuseFloat32)(reference.data(), candidate.data(), reference.size(),
                                           chunk);
}
BlockResult fuse_bfloat16(std::span<const std::uint16_t> reference,
                          std::span<const std::uint16_t> candidate, FusedChunk& chunk) {
  return HWY_DYNAMIC_DISPATCH(FuseBFloat16)(reference.data(), candidate.data(), reference.size(),
                                            chunk);
}
BlockResult fuse_float16(std::span<const std::uint16_t> reference,
                         std::span<const std::uint16_t> candidate, FusedChunk& chunk) {
  return HWY_DYNAMIC_DISPATCH(FuseFloat16)(reference.data(), candidate.data(), reference.size(),
                                           chunk);
}

}  // namespace parity::compare
#endif  // HWY_ONCE
