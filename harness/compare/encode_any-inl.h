// Per-target SIMD code: byte codes of the distances in a block of any everyday values, zeros and
// sign changes included. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_ENCODE_ANY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_ANY_INL_H_
#undef PARITY_COMPARE_ENCODE_ANY_INL_H_
#else
#define PARITY_COMPARE_ENCODE_ANY_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/fused_kernel.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = TagUpTo<float, 16>;
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

/// Limits of a near block, see encode_near: magnitudes in [lowest, beyond) as integers of the
/// dtype, and the largest distance, small enough that c-r is exact in float32 and below abs(r).
struct NearLimits {
  std::uint32_t lowest;
  std::uint32_t beyond;
  std::uint32_t max_ulp;
};

/// A dtype of the kernel: how it widens to float32 and which integers its ulp distances are counted
/// on.
struct Float32Lanes {
  using Bits = float;
  static constexpr bool kWidens = false;
  static constexpr Products kProducts = Products::rounded;
  static HWY_INLINE FloatVector widen(const float* from) { return hn::LoadU(FloatTag(), from); }
  static HWY_INLINE UintVector order(const float*, UintVector magnitude) { return magnitude; }
  static HWY_INLINE UintVector unusual(UintVector, UintVector, UintVector) {
    return hn::Zero(UintTag());
  }
};

struct BFloat16Lanes {
  using Bits = std::uint16_t;
  static constexpr bool kWidens = true;
  static constexpr Products kProducts = Products::exact;
  static constexpr NearLimits near_limits() { return {25U << 7U, 253U << 7U, 127}; }
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
  static constexpr bool kWidens = true;
  static constexpr Products kProducts = Products::exact;
  static constexpr NearLimits near_limits() { return {0x0800U, 0x7C00U, 127}; }
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
  float max_absolute;  ///< rounded to float32
  bool may_be_record;  ///< some relative error may pass the largest so far
};

/// The record to beat as factors: abs(c-r) * difference_factor > abs(r) * reference_factor.
struct RecordVectors {
  FloatVector difference_factor;
  FloatVector reference_factor;
};

HWY_INLINE RecordVectors record_vectors(const RelativeRecord& record) {
  return {hn::Set(FloatTag(), record.difference_factor),
          hn::Set(FloatTag(), record.reference_factor)};
}

struct RangeVectors {
  UintVector lowest;
  UintVector highest;
  UintVector max_ulp;
  UintVector unusual;
  UintVector zero_sign;
  UintVector max_size;
  FloatVector record;
};

HWY_INLINE RangeVectors empty_range() {
  const UintVector zero = hn::Zero(UintTag());
  return {hn::Set(UintTag(), ~0U), zero, zero, zero, zero, zero, hn::Zero(FloatTag())};
}

template <typename Combine>
HWY_INLINE std::uint32_t reduce(UintVector vector, Combine combine) {
  alignas(64) std::uint32_t lanes[16];
  hn::Store(vector, UintTag(), lanes);
  std::uint32_t result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(UintTag()); ++i) result = combine(result, lanes[i]);
  return result;
}

HWY_INLINE float largest_float(FloatVector vector) {
  alignas(64) float lanes[16];
  hn::Store(vector, FloatTag(), lanes);
  float result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(FloatTag()); ++i)
    result = lanes[i] > result ? lanes[i] : result;
  return result;
}

HWY_INLINE BlockRange reduce_range(const RangeVectors& range) {
  const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto add = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  return {reduce(range.lowest, min),      reduce(range.highest, max),
          reduce(range.max_ulp, max),     reduce(range.unusual, max),
          reduce(range.zero_sign, add),   largest_float(hn::BitCast(FloatTag(), range.max_size)),
          largest_float(range.record) > 0};
}

/// floor(log2(abs(c-r)/abs(r))) without a division: the difference of two float patterns is the
/// difference of their exponents, less one where the mantissa of the first is smaller.
HWY_INLINE UintVector relative_code(FloatVector r, FloatVector c, UintVector r_magnitude,
                                    const RecordVectors& record, RangeVectors& range) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const UintVector size = hn::And(hn::BitCast(du, hn::Sub(c, r)), hn::Set(du, kAbsMask));
  const auto zero_reference = hn::Eq(r_magnitude, hn::Zero(du));
  range.max_size = hn::Max(range.max_size, size);
  const FloatVector ours = hn::Mul(hn::BitCast(df, size), record.difference_factor);
  const FloatVector theirs = hn::Mul(hn::BitCast(df, r_magnitude), record.reference_factor);
  const FloatVector excess =
      hn::IfThenZeroElse(hn::RebindMask(df, zero_reference), hn::Sub(ours, theirs));
  range.record = hn::Max(range.record, excess);
  const auto exponent = hn::ShiftRight<23>(hn::BitCast(di, hn::Sub(size, r_magnitude)));
  const auto code = hn::Min(hn::Add(exponent, hn::Set(di, kRelativeCodeBias)),
                            hn::Set(di, static_cast<std::int32_t>(kRelativeCodeTop)));
  const auto none = hn::Set(du, static_cast<std::uint32_t>(kRelativeCodeNone));
  return hn::IfThenElse(zero_reference, none, hn::BitCast(du, code));
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
                             std::size_t count, const RelativeRecord& record, BlockCodes& codes,
                             float* wide_reference, float* wide_candidate) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const hn::Rebind<std::uint8_t, UintTag> d8;
  const UintVector abs_mask = hn::Set(du, kAbsMask);
  const UintVector one = hn::Set(du, 1U);
  const RecordVectors to_beat = record_vectors(record);
  RangeVectors range = empty_range();
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const FloatVector r = L::widen(reference + i);
    const FloatVector c = L::widen(candidate + i);
    if constexpr (L::kWidens) {
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
    hn::Store(
        hn::U8FromU32(hn::IfThenZeroElse(equal, relative_code(r, c, r_magnitude, to_beat, range))),
        d8, codes.relative + i);
  }
  return reduce_range(range);
}

/// A relative error of 1/2 or more can come from a c-r that float32 rounds; where that lands
/// exactly on a power of two times r, the code is taken again from float64. Everywhere else
/// rounding cannot cross a bin edge.
HWY_INLINE void settle_ties_of_vector(const float* reference, const float* candidate,
                                      std::uint8_t* codes) {
  const FloatTag df;
  const UintTag du;
  const UintVector abs_mask = hn::Set(du, kAbsMask);
  const FloatVector r = hn::LoadU(df, reference);
  const FloatVector c = hn::LoadU(df, candidate);
  const FloatVector difference = hn::Sub(c, r);
  // Knuth's two-sum of c and -r: what the subtraction rounded away.
  const FloatVector part = hn::Sub(difference, c);
  const FloatVector lost = hn::Sub(hn::Sub(c, hn::Sub(difference, part)), hn::Add(r, part));
  const UintVector size = hn::And(hn::BitCast(du, difference), abs_mask);
  const UintVector r_magnitude = hn::And(hn::BitCast(du, r), abs_mask);
  const UintVector mantissa = hn::And(hn::Sub(size, r_magnitude), hn::Set(du, 0x7FFFFFU));
  const auto tie = hn::Eq(mantissa, hn::Zero(du));
  const UintVector doubtful = hn::IfThenElseZero(tie, hn::And(hn::BitCast(du, lost), abs_mask));
  if (hn::AllTrue(du, hn::Eq(doubtful, hn::Zero(du)))) return;
  alignas(64) std::uint32_t lanes[16];
  hn::Store(doubtful, du, lanes);
  for (std::size_t lane = 0; lane < hn::Lanes(du); ++lane) {
    if (lanes[lane] != 0 && reference[lane] != 0) {
      codes[lane] = relative_code_of(static_cast<double>(reference[lane]),
                                     static_cast<double>(candidate[lane]));
    }
  }
}

HWY_INLINE void settle_ties(const float* reference, const float* candidate, std::size_t count,
                            BlockCodes& codes) {
  const hn::Rebind<std::uint8_t, UintTag> d8;
  const auto high = hn::Set(d8, static_cast<std::uint8_t>(kRelativeCodeBias - 1));
  for (std::size_t i = 0; i < count; i += hn::Lanes(d8)) {
    const auto code = hn::Load(d8, codes.relative + i);
    if (hn::AllFalse(d8, hn::Eq(hn::Max(code, high), code))) continue;
    settle_ties_of_vector(reference + i, candidate + i, codes.relative + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_ANY_INL_H_
