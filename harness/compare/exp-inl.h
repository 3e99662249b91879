// Per-target SIMD code: exp of float64, built of separate products and sums so that every
// target gives the same bits, with or without fused multiplication. Included once per target; see
// Highway's foreach_target.
#if defined(PARITY_COMPARE_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_EXP_INL_H_
#undef PARITY_COMPARE_EXP_INL_H_
#else
#define PARITY_COMPARE_EXP_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ExponentTag = hn::RebindToSigned<DoubleTag>;
using ExponentVector = hn::Vec<ExponentTag>;

/// c[0] + c[1] r + ... Even and odd powers are two chains, since one would wait for its own results
/// most of the time.
template <std::size_t count>
HWY_INLINE DoubleVector polynomial(DoubleVector r, DoubleVector square, const double (&c)[count]) {
  const DoubleTag d;
  DoubleVector last = hn::Set(d, c[count - 1]);
  DoubleVector other = hn::Set(d, c[count - 2]);
  for (std::size_t i = count - 2; i-- > 0;) {
    const DoubleVector next = hn::Add(hn::Mul(last, square), hn::Set(d, c[i]));
    last = other;
    other = next;
  }
  return hn::Add(other, hn::Mul(last, r));
}

// The coefficients interpolate (e^r - 1 - r) / r^2 at the Chebyshev nodes of their range, worked
// out with 60 digits and rounded to float64.

/// abs(r) <= ln(2) / 16: off by less than 2^-56 of e^r.
inline constexpr double kExpCoefficients[] = {0x1.000000000002ep-1,  0x1.555555555556ap-3,
                                              0x1.5555554e945c0p-5,  0x1.1111110e10a35p-7,
                                              0x1.6c1b70f4cae2ep-10, 0x1.a01e2bdf9010cp-13};

/// abs(r) <= kNearChange: off by less than 2^-42 of it, and by less the smaller r is, since the
/// first one is exact.
inline constexpr double kBendCoefficients[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.555555565874ap-5,  0x1.111111116f47fp-7,
    0x1.6c16b13a60b66p-10, 0x1.a019f5d965561p-13, 0x1.a09b896d4147fp-16, 0x1.723c6c5b59a8bp-19};

inline constexpr double kNearChange = 0.25;

/// Where exp of x is a normal number.
inline constexpr double kLowestNormalExp = -708;

/// 2^(i/8) with i/8 taken off the exponent again, where i << 49 adds it.
alignas(64) inline constexpr double kEighthsOfOctave[8] = {
    0x1.0000000000000p+0, 0x1.f72b83c7d517bp-1, 0x1.f06fe0a31b715p-1, 0x1.ebfdad5362a27p-1,
    0x1.ea09e667f3bcdp-1, 0x1.eace5422aa0dbp-1, 0x1.ee89f995ad3adp-1, 0x1.f5818dcfba487p-1};

/// 2^(eighths/8)
HWY_INLINE ExponentVector power_of_two(ExponentVector eighths) {
  const DoubleTag d;
  const ExponentTag di;
  const ExponentVector index = hn::And(eighths, hn::Set(di, 7));
  const auto start = [&]() HWY_ATTR {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(d, kEighthsOfOctave[hn::GetLane(index)]);
#else
    if constexpr (kVectorLanes == 8)
      return hn::TableLookupLanes(hn::Load(d, kEighthsOfOctave), hn::IndicesFromVec(d, index));
    return hn::GatherIndex(d, kEighthsOfOctave, index);
#endif
  };
  return hn::Add(hn::BitCast(di, start()), hn::ShiftLeft<49>(eighths));
}

/// e^x for -2^10 < x <= 0 with `raise` added to its exponent bits: x = eighths * ln(2)/8 + rest
/// with abs(rest) <= ln(2)/16. The product is rounded, not split as by Cody and Waite: its error
/// grows with abs(x) while e^x shrinks, so no sum of a softmax can tell.
HWY_INLINE DoubleVector raised_exp(DoubleVector x, ExponentVector raise) {
  const DoubleTag d;
  const ExponentTag di;
  // Adding it leaves the nearest integer in the low bits.
  const DoubleVector shifter = hn::Set(d, 0x1.8p52);
  const DoubleVector shifted = hn::Add(hn::Mul(x, hn::Set(d, 0x1.71547652b82fep+3)), shifter);
  const DoubleVector whole = hn::Sub(shifted, shifter);
  const DoubleVector rest = hn::Sub(x, hn::Mul(whole, hn::Set(d, 0x1.62e42fefa39efp-4)));
  const DoubleVector square = hn::Mul(rest, rest);
  const DoubleVector growth =
      hn::Add(rest, hn::Mul(square, polynomial(rest, square, kExpCoefficients)));
  const DoubleVector start = hn::BitCast(d, hn::Add(power_of_two(hn::BitCast(di, shifted)), raise));
  return hn::Add(start, hn::Mul(start, growth));
}

/// e^x for kLowestNormalExp <= x <= 0, off by less than 1.1 + 1.5 abs(x) ulp.
HWY_INLINE DoubleVector exp_of_normal(DoubleVector x) {
  return raised_exp(x, hn::Zero(ExponentTag()));
}

/// e^x for any x <= 0, -Inf too. Off as exp_of_normal; where the result is subnormal, by less than
/// 1 ulp of those besides.
HWY_INLINE DoubleVector exp_of_any(DoubleVector x) {
  const DoubleTag d;
  const ExponentTag di;
  const DoubleVector bounded = hn::Max(x, hn::Set(d, -746.0));  // below, e^x rounds to 0
  const auto below = hn::Lt(bounded, hn::Set(d, kLowestNormalExp));
  const ExponentVector raise =
      hn::IfThenElseZero(hn::RebindMask(di, below), hn::Set(di, std::int64_t{600} << 52));
  return hn::Mul(raised_exp(bounded, raise),
                 hn::IfThenElse(below, hn::Set(d, 0x1p-600), hn::Set(d, 1.0)));
}

/// (e^x - 1 - x) / x^2 for abs(x) <= kNearChange.
HWY_INLINE DoubleVector bend_of_near(DoubleVector x) {
  return polynomial(x, hn::Mul(x, x), kBendCoefficients);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_EXP_INL_H_
