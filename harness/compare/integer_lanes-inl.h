// Per-target SIMD code: pairs of integers as float64, with their exact distance. Included once per
// target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_INTEGER_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_INTEGER_LANES_INL_H_
#undef PARITY_COMPARE_INTEGER_LANES_INL_H_
#else
#define PARITY_COMPARE_INTEGER_LANES_INL_H_
#endif

#include <type_traits>

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using LongTag = hn::RebindToUnsigned<DoubleTag>;
using LongVector = hn::Vec<LongTag>;

/// Nearest float64, ties to even: both halves are exact and their sum is rounded once. Highway has
/// no such conversion on every target.
HWY_INLINE DoubleVector nearest(LongVector value) {
  const DoubleTag d;
  const LongTag du;
  const LongVector low =
      hn::Or(hn::And(value, hn::Set(du, 0xFFFFFFFFU)), hn::BitCast(du, hn::Set(d, 0x1p52)));
  const LongVector high = hn::Or(hn::ShiftRight<32>(value), hn::BitCast(du, hn::Set(d, 0x1p84)));
  const DoubleVector upper = hn::Sub(hn::BitCast(d, high), hn::Set(d, 0x1p84 + 0x1p52));
  return hn::Add(upper, hn::BitCast(d, low));
}

HWY_INLINE DoubleVector load_integers(const std::int32_t* from) {
  const hn::Rebind<std::int32_t, DoubleTag> narrow;
  return hn::PromoteTo(DoubleTag(), hn::LoadU(narrow, from));
}
template <typename Short>
HWY_INLINE DoubleVector load_short(const Short* from) {
  const hn::Rebind<std::int32_t, DoubleTag> wide;
  const hn::Rebind<Short, DoubleTag> narrow;
  return hn::PromoteTo(DoubleTag(), hn::PromoteTo(wide, hn::LoadU(narrow, from)));
}
HWY_INLINE DoubleVector load_integers(const std::int16_t* from) { return load_short(from); }
HWY_INLINE DoubleVector load_integers(const std::uint16_t* from) { return load_short(from); }
HWY_INLINE DoubleVector load_integers(const std::uint32_t* from) {
  const hn::Rebind<std::uint32_t, DoubleTag> narrow;
  const DoubleVector above = hn::Set(DoubleTag(), 0x1p52);
  const LongVector value = hn::PromoteTo(LongTag(), hn::LoadU(narrow, from));
  return hn::Sub(hn::BitCast(DoubleTag(), hn::Or(value, hn::BitCast(LongTag(), above))), above);
}
HWY_INLINE DoubleVector load_integers(const std::uint64_t* from) {
  return nearest(hn::LoadU(LongTag(), from));
}
HWY_INLINE DoubleVector load_integers(const std::int64_t* from) {
  const hn::RebindToSigned<DoubleTag> di;
  const auto value = hn::LoadU(di, from);
  const DoubleVector size = nearest(hn::BitCast(LongTag(), hn::Abs(value)));
  return hn::Or(size, hn::And(hn::BitCast(DoubleTag(), value), hn::Set(DoubleTag(), -0.0)));
}

struct IntegerPairs {
  DoubleVector reference;
  DoubleVector candidate;
  DoubleVector difference;  ///< c-r, rounded once
  DoubleVector size;        ///< of the difference
  DoubleVector at_least;    ///< its exponent is that of ulp - 1, and -1 for an ulp of 1
  LongVector ulp;           ///< of 64-bit types alone
};

template <typename T>
HWY_INLINE IntegerPairs load_pairs(const T* reference, const T* candidate) {
  const DoubleTag d;
  IntegerPairs pairs;
  pairs.reference = load_integers(reference);
  pairs.candidate = load_integers(candidate);
  const DoubleVector half = hn::Set(d, 0.5);
  if constexpr (sizeof(T) < sizeof(double)) {
    pairs.difference = hn::Sub(pairs.candidate, pairs.reference);
    pairs.size = hn::Abs(pairs.difference);
    pairs.at_least = hn::Sub(pairs.size, half);
    pairs.ulp = hn::Zero(LongTag());
  } else {
    const TagUpTo<T, kSumLanes> d_own;
    const LongTag du;
    const auto r = hn::LoadU(d_own, reference);
    const auto c = hn::LoadU(d_own, candidate);
    const auto larger = hn::Max(r, c);
    pairs.ulp = hn::BitCast(du, hn::Sub(larger, hn::Min(r, c)));
    pairs.size = nearest(pairs.ulp);
    const auto down = hn::RebindMask(d, hn::Eq(larger, r));
    pairs.difference = hn::IfThenElse(down, hn::Neg(pairs.size), pairs.size);
    // Clearing the bit below the leading one keeps the conversion from rounding up to the next
    // power of two.
    const LongVector less_one = hn::Sub(pairs.ulp, hn::Set(du, std::uint64_t{1}));
    pairs.at_least = hn::Max(nearest(hn::AndNot(hn::ShiftRight<1>(less_one), less_one)), half);
  }
  return pairs;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_INTEGER_LANES_INL_H_
