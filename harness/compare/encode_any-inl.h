// Per-target SIMD code: byte codes of the distances in a block of any everyday values, zeros and
// sign changes included. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_ENCODE_ANY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_ANY_INL_H_
#undef PARITY_COMPARE_ENCODE_ANY_INL_H_
#else
#define PARITY_COMPARE_ENCODE_ANY_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/block_range-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_ANY_INL_H_
