// Per-target SIMD code: sums and byte codes of a float32 block whose pairs are close: the usual
// case, in half the instructions of encode_any. Equal zeros belong; zero against another value and
// a change of sign do not. Whether a block is of that kind shows at its end; else nothing is kept.
#if defined(PARITY_COMPARE_ENCODE_NEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#undef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#else
#define PARITY_COMPARE_ENCODE_NEAR_INL_H_
#endif

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
  UintVector lowest_less_one;  ///< of the larger magnitude of each pair, so that two zeros are no
                               ///< low value
  UintVector highest;
  UintVector max_ulp;
  UintVector max_size;
  FloatVector record;
};

HWY_INLINE NearVectors empty_near() {
  const UintVector zero = hn::Zero(UintTag());
  return {hn::Set(UintTag(), ~0U), zero, zero, zero, hn::Zero(FloatTag())};
}

/// Bits 23 to 30 are floor(log2(abs(c-r)/abs(r))), from -24 to -1, in two's complement; of equal
/// pairs whose reference is not below 2^-102 they are another number.
template <Products products>
HWY_INLINE UintVector near_relative(FloatVector r, FloatVector difference,
                                    const RecordVectors& record, NearVectors& seen) {
  const FloatTag df;
  const UintTag du;
  const UintVector mask = hn::Set(du, kAbsMask);
  const UintVector r_size = hn::And(hn::BitCast(du, r), mask);
  const UintVector size = hn::And(hn::BitCast(du, difference), mask);
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
HWY_INLINE UintVector near_ulp(FloatVector r, FloatVector c, NearVectors& seen) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const UintVector r_bits = hn::BitCast(du, r);
  const UintVector c_bits = hn::BitCast(du, c);
  const UintVector mask = hn::Set(du, kAbsMask);
  const UintVector one = hn::Set(du, 1U);
  const UintVector larger = hn::Max(hn::And(r_bits, mask), hn::And(c_bits, mask));
  seen.highest = hn::Max(seen.highest, larger);
  seen.lowest_less_one = hn::Min(seen.lowest_less_one, hn::Sub(larger, one));
  // Of opposite signs it is far more than any near block has, since both magnitudes are below
  // `beyond`.
  const auto ulp = hn::Abs(hn::BitCast(di, hn::Sub(r_bits, c_bits)));
  seen.max_ulp = hn::Max(seen.max_ulp, hn::BitCast(du, ulp));
  return hn::Sub(hn::BitCast(du, hn::ConvertTo(df, ulp)), one);
}

/// Also adds r and c-r to `sums`.
HWY_INLINE NearBlock encode_near(const float* reference, const float* candidate, std::size_t count,
                                 const RelativeRecord& record, const Upcoming& next,
                                 BlockCodes& codes, NearSums& sums) {
  constexpr NearLimits kLimits = Float32Lanes::near_limits();
  const FloatTag df;
  const std::size_t lanes = hn::Lanes(df);
  const RecordVectors to_beat = record_vectors(record);
  NearVectors seen = empty_near();
  NearSums running = sums;
  auto* ulp_to = reinterpret_cast<std::uint32_t*>(codes.ulp);
  auto* relative_to = reinterpret_cast<std::uint32_t*>(codes.relative);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    next.ask_for(i, 4 * lanes);
    UintVector ulp[4];
    UintVector relative[4];
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t at = i + part * lanes;
      const FloatVector r = hn::LoadU(df, reference + at);
      const FloatVector c = hn::LoadU(df, candidate + at);
      const FloatVector difference = hn::Sub(c, r);
      ulp[part] = near_ulp(r, c, seen);
      relative[part] = near_relative<Products::rounded>(r, difference, to_beat, seen);
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
  block.near = block.max_ulp <= kLimits.max_ulp && reduce(seen.highest, max) < kLimits.beyond &&
               reduce(seen.lowest_less_one, min) >= kLimits.lowest - 1;
  block.max_absolute = largest_float(hn::BitCast(df, seen.max_size));
  block.may_be_record = largest_float(seen.record) > 0;
  if (block.near) sums = running;
  return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_NEAR_INL_H_
