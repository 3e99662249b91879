// Per-target SIMD code: sums and byte codes of a float32 block whose pairs are close: the usual
// case, in half the instructions of encode_any. Equal zeros belong; zero against another value and
// a change of sign do not. Whether a block is of that kind shows at its end; else nothing is kept.
#if defined(PARITY_COMPARE_ENCODE_NEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#undef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#else
#define PARITY_COMPARE_ENCODE_NEAR_INL_H_
#endif

#include <limits>

#include <hwy/highway.h>

#include "compare/block_codes-inl.h"
#include "compare/fused_kernel.h"
#include "compare/near_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What a near block is worth knowing for, beside its codes and sums.
struct NearBlock {
  bool near;  ///< false: not of this kind, ignore the rest
  std::uint32_t max_ulp;
  float max_absolute;  ///< exact: close pairs have an exact c-r in float32
  bool may_be_record;  ///< some relative error may pass the largest so far
};

/// The byte that stands for two equal values where the codes of distances count from 126.
constexpr std::size_t kNearUlpZero = 255;

/// Bits 23 to 30 of four vectors as the bytes of one: their order is lost, which counting does not
/// mind.
HWY_INLINE UintVector pack4(UintVector a, UintVector b, UintVector c, UintVector d) {
  const UintTag du;
  const UintVector odd = hn::Set(du, 0xFF00FF00U);
  const UintVector high = hn::Set(du, 0xFFFF0000U);
  const UintVector dc =
      hn::Or(hn::And(odd, hn::ShiftLeft<1>(d)), hn::AndNot(odd, hn::ShiftRight<7>(c)));
  const UintVector ba =
      hn::Or(hn::And(odd, hn::ShiftRight<15>(b)), hn::AndNot(odd, hn::ShiftRight<23>(a)));
  return hn::Or(hn::And(high, dc), hn::AndNot(high, ba));
}

struct NearVectors {
  UintVector lowest_less_one;  ///< of abs(r), so that zero is no low value
  UintVector max_ulp;
  UintVector max_size;
  hn::Vec<IntTag> max_ratio;  ///< bits of abs(c-r) less those of abs(r)
  FloatVector record;
};

HWY_INLINE NearVectors empty_near() {
  const UintVector zero = hn::Zero(UintTag());
  return {hn::Set(UintTag(), ~0U), zero, zero,
          hn::Set(IntTag(), std::numeric_limits<std::int32_t>::min()), hn::Zero(FloatTag())};
}

/// Bits 23 to 30 are floor(log2(abs(c-r)/abs(r))), from -24 to -1, in two's complement; of equal
/// pairs whose reference is not below 2^-102 they are another number.
template <Products products>
HWY_INLINE UintVector near_relative(UintVector r_size, FloatVector difference,
                                    const RecordVectors& record, NearVectors& seen) {
  const FloatTag df;
  const UintTag du;
  const UintVector size = hn::And(hn::BitCast(du, difference), hn::Set(du, kAbsMask));
  seen.max_size = hn::Max(seen.max_size, size);
  FloatVector ours = hn::BitCast(df, size);
  if constexpr (products == Products::exact) ours = hn::Mul(ours, record.difference_factor);
  // Fused or not: `exact` products are exact both ways, and the others have a margin.
  const FloatVector excess = hn::NegMulAdd(hn::BitCast(df, r_size), record.reference_factor, ours);
  seen.record = hn::Max(seen.record, excess);
  return hn::Sub(size, r_size);
}

/// Bits 23 to 30 are the exponent field of the next smaller float32 than ulp: 126 for 1, 127 for 2,
/// 128 for 3 and 4 and so on; 255 for 0.
HWY_INLINE UintVector near_ulp(UintVector r_bits, UintVector c_bits, NearVectors& seen) {
  const UintTag du;
  const IntTag di;
  // Of opposite signs it is far more than any near block has, unless both are NaN or huge, which
  // the difference shows.
  const auto ulp = hn::Abs(hn::BitCast(di, hn::Sub(r_bits, c_bits)));
  seen.max_ulp = hn::Max(seen.max_ulp, hn::BitCast(du, ulp));
  return hn::Sub(hn::BitCast(du, hn::ConvertTo(FloatTag(), ulp)), hn::Set(du, 1U));
}

/// Also adds r and c-r to `sums`.
HWY_INLINE NearBlock encode_near(const float* reference, const float* candidate, std::size_t count,
                                 const RelativeRecord& record, BlockCodes& codes, NearSums& sums) {
  constexpr NearLimits kLimits = Float32Lanes::near_limits();
  const FloatTag df;
  const UintTag du;
  const std::size_t lanes = hn::Lanes(df);
  const RecordVectors to_beat = record_vectors(record);
  NearVectors seen = empty_near();
  NearSums running = sums;
  auto* ulp_to = reinterpret_cast<std::uint32_t*>(codes.ulp);
  auto* relative_to = reinterpret_cast<std::uint32_t*>(codes.relative);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    UintVector ulp[4];
    UintVector relative[4];
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t at = i + part * lanes;
      const FloatVector r = hn::LoadU(df, reference + at);
      const FloatVector c = hn::LoadU(df, candidate + at);
      const FloatVector difference = hn::Sub(c, r);
      const UintVector r_bits = hn::BitCast(du, r);
      const UintVector r_size = hn::And(r_bits, hn::Set(du, kAbsMask));
      seen.lowest_less_one = hn::Min(seen.lowest_less_one, hn::Sub(r_size, hn::Set(du, 1U)));
      ulp[part] = near_ulp(r_bits, hn::BitCast(du, c), seen);
      relative[part] = near_relative<Products::rounded>(r_size, difference, to_beat, seen);
      seen.max_ratio = hn::Max(seen.max_ratio, hn::BitCast(IntTag(), relative[part]));
      add_near(r, difference, at, running);
    }
    hn::Store(pack4(ulp[0], ulp[1], ulp[2], ulp[3]), UintTag(), ulp_to + i / 4);
    hn::Store(pack4(relative[0], relative[1], relative[2], relative[3]), UintTag(),
              relative_to + i / 4);
  }
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  NearBlock block;
  block.max_ulp = reduce(seen.max_ulp, max);
  // Inf and NaN leave no finite difference, and a ratio above 0 is a zero reference's.
  block.near = block.max_ulp <= kLimits.max_ulp &&
               reduce(seen.max_size, max) < Float32Lanes::kInfinity &&
               reduce(seen.lowest_less_one, min) >= kLimits.lowest - 1 &&
               hn::AllFalse(IntTag(), hn::Gt(seen.max_ratio, hn::Zero(IntTag())));
  block.max_absolute = largest_float(hn::BitCast(df, seen.max_size));
  block.may_be_record = largest_float(seen.record) > 0;
  if (block.near) sums = running;
  return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_NEAR_INL_H_
