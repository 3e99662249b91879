// Per-target SIMD code: the few relative codes of a block that rounding could have put into the
// wrong bin, taken again. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_SETTLE_TIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_SETTLE_TIES_INL_H_
#undef PARITY_COMPARE_SETTLE_TIES_INL_H_
#else
#define PARITY_COMPARE_SETTLE_TIES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/block_codes-inl.h"
#include "compare/code_counts.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

#endif  // PARITY_COMPARE_SETTLE_TIES_INL_H_
