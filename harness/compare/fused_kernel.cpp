// Kernels for float32, bfloat16 and float16: encode distances as byte codes, sum in float64, count
// the codes. A histogram increment per element would cost more than all the arithmetic; counting
// bytes by comparison does not.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_kernel.cpp"
// Arrays of vectors need vectors of a fixed size, which the scalable targets do not have.
#include "compare/fused_kernel.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/lane_sums-inl.h"
#include "compare/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

using FloatTag = hn::CappedTag<float, 16>;
using UintTag = hn::RebindToUnsigned<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using HalfBitsTag = hn::Rebind<std::uint16_t, FloatTag>;
using FloatVector = hn::Vec<FloatTag>;
using UintVector = hn::Vec<UintTag>;

constexpr std::uint32_t kAbsMask = 0x7FFFFFFFU;
/// Everyday magnitudes: zero, or within [2^-102, 2^126), where c-r neither overflows nor is
/// subnormal.
constexpr std::uint32_t kLowest = 25U << 23U;
constexpr std::uint32_t kBeyond = 253U << 23U;

/// A dtype of the kernel: how it widens to float32 and which integers its ulp distances are counted
/// on.
struct Float32Lanes {
  using Bits = float;
  static HWY_INLINE FloatVector widen(const float* from) { return hn::LoadU(FloatTag(), from); }
  static HWY_INLINE UintVector order(const float*, UintVector magnitude) { return magnitude; }
  static HWY_INLINE UintVector unusual(UintVector, UintVector, UintVector) {
    return hn::Zero(UintTag());
  }
};

struct BFloat16Lanes {
  using Bits = std::uint16_t;
  static HWY_INLINE FloatVector widen(const std::uint16_t* from) {
    const UintVector bits = hn::PromoteTo(UintTag(), hn::LoadU(HalfBitsTag(), from));
    return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(bits));
  }
  static HWY_INLINE UintVector order(const std::uint16_t*, UintVector magnitude) {
    return hn::ShiftRight<16>(magnitude);
  }
  static HWY_INLINE UintVector unusual(UintVector, UintVector, UintVector) {
    return hn::Zero(UintTag());
  }
};

struct Float16Lanes {
  using Bits = std::uint16_t;
  static HWY_INLINE FloatVector widen(const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, FloatTag> half;
    return hn::PromoteTo(FloatTag(), hn::BitCast(half, hn::LoadU(HalfBitsTag(), from)));
  }
  static HWY_INLINE UintVector order(const std::uint16_t* from, UintVector) {
    const UintVector bits = hn::PromoteTo(UintTag(), hn::LoadU(HalfBitsTag(), from));
    return hn::And(bits, hn::Set(UintTag(), 0x7FFFU));
  }
  /// Non-zero for Inf and NaN, which the widening of some targets turns into numbers, and where one
  /// side is zero and the other subnormal: neither shows in float32 lanes.
  static HWY_INLINE UintVector unusual(UintVector r, UintVector c, UintVector ulp_less_one) {
    const UintTag du;
    const UintVector not_finite = hn::ShiftRight<15>(hn::Add(hn::Max(r, c), hn::Set(du, 0x400U)));
    const auto one_zero = hn::Eq(hn::Min(r, c), hn::Zero(du));
    const UintVector small = hn::IfThenElseZero(one_zero, hn::Set(du, 1));
    const UintVector capped = hn::Min(ulp_less_one, hn::Set(du, 0x3FFU));
    return hn::Or(not_finite, hn::IfThenZeroElse(hn::Eq(capped, hn::Set(du, 0x3FFU)), small));
  }
};

struct BlockCodes {
  alignas(64) std::uint8_t ulp[kBlockElements];
  alignas(64) std::uint8_t relative[kBlockElements];
};

/// What the encoding of a block found out about its values.
struct BlockRange {
  std::uint32_t lowest_less_one;  ///< smallest non-zero magnitude less one, as float32 bits
  std::uint32_t highest;          ///< largest magnitude, as float32 bits
  std::uint32_t max_ulp;
  std::uint32_t unusual;
  std::uint64_t zero_sign;
};

struct RangeVectors {
  UintVector lowest;
  UintVector highest;
  UintVector max_ulp;
  UintVector unusual;
  UintVector zero_sign;
};

HWY_INLINE RangeVectors empty_range() {
  const UintVector zero = hn::Zero(UintTag());
  return {hn::Set(UintTag(), ~0U), zero, zero, zero, zero};
}

template <typename Combine>
HWY_INLINE std::uint32_t reduce(UintVector vector, Combine combine) {
  alignas(64) std::uint32_t lanes[16];
  hn::Store(vector, UintTag(), lanes);
  std::uint32_t result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(UintTag()); ++i) result = combine(result, lanes[i]);
  return result;
}

HWY_INLINE BlockRange reduce_range(const RangeVectors& range) {
  const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto add = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  return {reduce(range.lowest, min), reduce(range.highest, max), reduce(range.max_ulp, max),
          reduce(range.unusual, max), reduce(range.zero_sign, add)};
}

/// floor(log2(abs(c-r)/abs(r))) without a division: the difference of two float patterns is the
/// difference of their exponents, less one where the mantissa of the first is smaller.
HWY_INLINE UintVector relative_code(FloatVector r, FloatVector c, UintVector r_magnitude) {
  const UintTag du;
  const IntTag di;
  const UintVector size = hn::And(hn::BitCast(du, hn::Sub(c, r)), hn::Set(du, kAbsMask));
  const auto exponent = hn::ShiftRight<23>(hn::BitCast(di, hn::Sub(size, r_magnitude)));
  const auto code = hn::Min(hn::Add(exponent, hn::Set(di, kRelativeCodeBias)),
                            hn::Set(di, static_cast<std::int32_t>(kRelativeCodeTop)));
  const auto none = hn::Set(du, static_cast<std::uint32_t>(kRelativeCodeNone));
  return hn::IfThenElse(hn::Eq(r_magnitude, hn::Zero(du)), none, hn::BitCast(du, code));
}

/// Exponent field of (ulp - 1) as float32. Clearing the bit below the leading one keeps the
/// conversion from rounding up to the next power of two; distances past 2^31 turn negative and end
/// above 255.
HWY_INLINE UintVector ulp_code(UintVector ulp_less_one) {
  const UintTag du;
  const UintVector spread = hn::AndNot(hn::ShiftRight<1>(ulp_less_one), ulp_less_one);
  const auto as_float = hn::ConvertTo(FloatTag(), hn::BitCast(IntTag(), spread));
  const UintVector field = hn::ShiftRight<23>(hn::BitCast(du, as_float));
  return hn::Min(hn::Max(field, hn::Set(du, 126U)),
                 hn::Set(du, static_cast<std::uint32_t>(kUlpCodeHuge)));
}

template <typename L>
HWY_INLINE BlockRange encode(const typename L::Bits* reference, const typename L::Bits* candidate,
                             std::size_t count, BlockCodes& codes, float* wide_reference,
                             float* wide_candidate) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const hn::Rebind<std::uint8_t, UintTag> d8;
  const UintVector abs_mask = hn::Set(du, kAbsMask);
  const UintVector one = hn::Set(du, 1U);
  RangeVectors range = empty_range();
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const FloatVector r = L::widen(reference + i);
    const FloatVector c = L::widen(candidate + i);
    if constexpr (sizeof(typename L::Bits) == 2) {
      hn::Store(r, df, wide_reference + i);
      hn::Store(c, df, wide_candidate + i);
    }
    const UintVector r_magnitude = hn::And(hn::BitCast(du, r), abs_mask);
    const UintVector c_magnitude = hn::And(hn::BitCast(du, c), abs_mask);
    range.highest = hn::Max(range.highest, hn::Max(r_magnitude, c_magnitude));
    range.lowest =
        hn::Min(range.lowest, hn::Min(hn::Sub(r_magnitude, one), hn::Sub(c_magnitude, one)));

    const UintVector r_order = L::order(reference + i, r_magnitude);
    const UintVector c_order = L::order(candidate + i, c_magnitude);
    const auto signs = hn::BitCast(di, hn::Xor(hn::BitCast(du, r), hn::BitCast(du, c)));
    const auto opposite = hn::RebindMask(du, hn::Lt(signs, hn::Zero(di)));
    const UintVector apart = hn::BitCast(du, hn::Abs(hn::BitCast(di, hn::Sub(r_order, c_order))));
    const UintVector ulp = hn::IfThenElse(opposite, hn::Add(r_order, c_order), apart);
    const UintVector ulp_less_one = hn::Sub(ulp, one);
    const auto equal = hn::Eq(ulp, hn::Zero(du));
    range.max_ulp = hn::Max(range.max_ulp, ulp);
    range.zero_sign = hn::Add(range.zero_sign, hn::IfThenElseZero(hn::And(equal, opposite), one));
    range.unusual = hn::Or(range.unusual, L::unusual(r_order, c_order, ulp_less_one));

    const UintVector zero_code = hn::Set(du, static_cast<std::uint32_t>(kUlpCodeZero));
    hn::Store(hn::U8FromU32(hn::IfThenElse(equal, zero_code, ulp_code(ulp_less_one))), d8,
              codes.ulp + i);
    hn::Store(hn::U8FromU32(hn::IfThenZeroElse(equal, relative_code(r, c, r_magnitude))), d8,
              codes.relative + i);
  }
  return reduce_range(range);
}

/// A relative error of 1/2 or more can come from a c-r that float32 rounds; where that lands
/// exactly on a power of two times r, the code is taken again from float64. Everywhere else
/// rounding cannot cross a bin edge.
HWY_INLINE void settle_ties(const float* reference, const float* candidate, std::size_t count,
                            BlockCodes& codes) {
  const FloatTag df;
  const UintTag du;
  const UintVector abs_mask = hn::Set(du, kAbsMask);
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const FloatVector r = hn::LoadU(df, reference + i);
    const FloatVector c = hn::LoadU(df, candidate + i);
    const FloatVector difference = hn::Sub(c, r);
    // Knuth's two-sum of c and -r: what the subtraction rounded away.
    const FloatVector part = hn::Sub(difference, c);
    const FloatVector lost = hn::Sub(hn::Sub(c, hn::Sub(difference, part)), hn::Add(r, part));
    const UintVector size = hn::And(hn::BitCast(du, difference), abs_mask);
    const UintVector r_magnitude = hn::And(hn::BitCast(du, r), abs_mask);
    const UintVector mantissa = hn::And(hn::Sub(size, r_magnitude), hn::Set(du, 0x7FFFFFU));
    const auto tie = hn::Eq(mantissa, hn::Zero(du));
    const UintVector doubtful = hn::IfThenElseZero(tie, hn::And(hn::BitCast(du, lost), abs_mask));
    if (hn::AllTrue(du, hn::Eq(doubtful, hn::Zero(du)))) continue;
    alignas(64) std::uint32_t lanes[16];
    hn::Store(doubtful, du, lanes);
    for (std::size_t lane = 0; lane < hn::Lanes(du); ++lane) {
      const std::size_t at = i + lane;
      if (lanes[lane] == 0 || reference[at] == 0) continue;
      codes.relative[at] = relative_code_of(reference[at], candidate[at]);
    }
  }
}

struct CodeSpan {
  std::uint8_t lowest;
  std::uint8_t highest;
};

using ByteTag = hn::CappedTag<std::uint8_t, kBlockGranule>;

/// Span of the codes other than 0 and 255; lowest > highest when there are none.
HWY_INLINE CodeSpan span_of(const std::uint8_t* codes, std::size_t count) {
  const ByteTag d;
  const auto one = hn::Set(d, std::uint8_t{1});
  auto lowest = hn::Set(d, std::uint8_t{255});
  auto highest = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto code = hn::Load(d, codes + i);
    lowest = hn::Min(lowest, hn::Sub(code, one));
    highest = hn::Max(highest, hn::Add(code, one));
  }
  alignas(64) std::uint8_t low[kBlockGranule];
  alignas(64) std::uint8_t high[kBlockGranule];
  hn::Store(lowest, d, low);
  hn::Store(highest, d, high);
  CodeSpan span{255, 0};
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    span.lowest = low[i] < span.lowest ? low[i] : span.lowest;
    span.highest = high[i] > span.highest ? high[i] : span.highest;
  }
  return {static_cast<std::uint8_t>(span.lowest + 1), static_cast<std::uint8_t>(span.highest - 1)};
}

HWY_INLINE void count_one(const std::uint8_t* codes, std::size_t count, std::size_t code,
                          std::array<std::uint64_t, 256>& counts) {
  const ByteTag d;
  const auto wanted = hn::Set(d, static_cast<std::uint8_t>(code));
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    found += hn::CountTrue(d, hn::Eq(hn::Load(d, codes + i), wanted));
  }
  counts[code] += found;
}

/// Past this many different codes a table increment per element is cheaper than a comparison per
/// code.
constexpr int kComparedCodes =
    HWY_TARGET == HWY_SCALAR ? 0 : 2 * static_cast<int>(HWY_LANES(std::uint8_t)) / 3 + 8;

/// Counts the codes within `span`; all others are left out.
HWY_INLINE void count_codes(const std::uint8_t* codes, std::size_t count, CodeSpan span,
                            std::array<std::uint64_t, 256>& counts) {
  if (span.highest < span.lowest) return;
  if (span.highest - span.lowest < kComparedCodes) {
    for (std::size_t code = span.lowest; code <= span.highest; ++code)
      count_one(codes, count, code, counts);
    return;
  }
  count_by_table(codes, count, span.lowest, span.highest, counts);
}

/// Both sides are the same bits: only Inf and NaN need care.
template <typename L>
HWY_INLINE BlockResult fuse_identical(const typename L::Bits* patterns, const float* values,
                                      std::size_t count, FusedChunk& chunk) {
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
  add_identical(values, count, chunk);
  chunk.elements += count;
  chunk.ulp_codes[kUlpCodeZero] += count;
  return {BlockOutcome::fused, 0};
}

template <typename L>
HWY_INLINE void widen_block(const typename L::Bits* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(FloatTag()))
    hn::Store(L::widen(from + i), FloatTag(), to + i);
}

/// Both sides as float32: the input itself, or 16-bit values widened by encode().
struct WideBlock {
  alignas(64) float reference[kBlockElements];
  alignas(64) float candidate[kBlockElements];
};

template <typename L>
HWY_INLINE BlockResult fuse(const typename L::Bits* reference, const typename L::Bits* candidate,
                            std::size_t count, FusedChunk& chunk) {
  constexpr bool kWidens = sizeof(typename L::Bits) == 2;
  WideBlock wide;
  const float* r = wide.reference;
  const float* c = wide.candidate;
  if constexpr (!kWidens) {
    r = reference;
    c = candidate;
  }
  if (same_bytes(reference, candidate, count * sizeof(typename L::Bits))) {
    if constexpr (kWidens) widen_block<L>(reference, count, wide.reference);
    return fuse_identical<L>(reference, r, count, chunk);
  }
  BlockCodes codes;
  const BlockRange range =
      encode<L>(reference, candidate, count, codes, wide.reference, wide.candidate);
  if (range.highest >= kBeyond || range.lowest_less_one < kLowest - 1 || range.unusual != 0)
    return {};
  if (add_sums(r, c, count, relative_threshold(chunk.max_relative), chunk)) {
    const double found = max_relative_of(r, c, count);
    chunk.max_relative = found > chunk.max_relative ? found : chunk.max_relative;
  }
  CodeSpan relative = span_of(codes.relative, count);
  if (relative.highest >= kRelativeCodeBias - 1) {
    settle_ties(r, c, count, codes);
    relative = span_of(codes.relative, count);
  }
  count_codes(codes.relative, count, relative, chunk.relative_codes);
  count_one(codes.relative, count, kRelativeCodeNone, chunk.relative_codes);
  count_codes(codes.ulp, count, span_of(codes.ulp, count), chunk.ulp_codes);
  if (range.max_ulp > 1U << 31U) count_one(codes.ulp, count, kUlpCodeHuge, chunk.ulp_codes);
  chunk.elements += count;
  chunk.zero_sign += range.zero_sign;
  chunk.max_ulp = range.max_ulp > chunk.max_ulp ? range.max_ulp : chunk.max_ulp;
  return {BlockOutcome::fused, range.max_ulp};
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
