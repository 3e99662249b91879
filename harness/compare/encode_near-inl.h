// Per-target SIMD code: byte codes of a float32 block whose pairs are close and have no zero and no
// sign change: the usual case, in half the instructions of encode_any. Whether a block is of that
// kind shows at its end; else nothing is kept.
#if defined(PARITY_COMPARE_ENCODE_NEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#undef PARITY_COMPARE_ENCODE_NEAR_INL_H_
#else
#define PARITY_COMPARE_ENCODE_NEAR_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/block_codes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What a near block is worth knowing for, beside its codes.
struct NearBlock {
  bool near;  ///< false: not of this kind, ignore the rest
  std::uint32_t max_ulp;
  float max_absolute;  ///< exact: close pairs have an exact c-r in float32
  bool may_be_record;  ///< some relative error may pass the largest so far
};

constexpr NearLimits kFloat32Near = {kLowest, kBeyond, 1U << 22U};

/// Relative code of equal pairs in near blocks, one below the lowest of unequal ones.
constexpr std::uint32_t kRelativeCodeEqual = 103;

/// Four vectors of codes below 256 in one: their order is lost, which counting does not mind.
HWY_INLINE UintVector pack4(UintVector a, UintVector b, UintVector c, UintVector d) {
  return hn::Or(hn::Or(a, hn::ShiftLeft<8>(b)), hn::Or(hn::ShiftLeft<16>(c), hn::ShiftLeft<24>(d)));
}

struct NearVectors {
  UintVector beyond_lowest;
  UintVector signs;
  UintVector max_ulp;
  UintVector max_size;
  FloatVector record;
};

HWY_INLINE NearVectors empty_near() {
  const UintVector zero = hn::Zero(UintTag());
  return {zero, zero, zero, zero, hn::Zero(FloatTag())};
}

HWY_INLINE UintVector near_relative(FloatVector r, FloatVector difference,
                                    const RecordVectors& record, NearVectors& seen) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const UintVector mask = hn::Set(du, kAbsMask);
  const UintVector r_size = hn::And(hn::BitCast(du, r), mask);
  const UintVector size = hn::And(hn::BitCast(du, difference), mask);
  seen.max_size = hn::Max(seen.max_size, size);
  const FloatVector ours = hn::Mul(hn::BitCast(df, size), record.difference_factor);
  const FloatVector theirs = hn::Mul(hn::BitCast(df, r_size), record.reference_factor);
  seen.record = hn::Max(seen.record, hn::Sub(ours, theirs));
  const auto exponent = hn::ShiftRight<23>(hn::BitCast(di, hn::Sub(size, r_size)));
  const auto code = hn::Add(exponent, hn::Set(di, kRelativeCodeBias));
  return hn::BitCast(du, hn::Max(code, hn::Set(di, static_cast<std::int32_t>(kRelativeCodeEqual))));
}

/// Exponent field of ulp - 1/2: 126 for 1, 127 for 2, 128 for 3 and 4 and so on; 125 stands for 0.
HWY_INLINE UintVector near_ulp(FloatVector r, FloatVector c, const NearLimits& limits,
                               NearVectors& seen) {
  const FloatTag df;
  const UintTag du;
  const IntTag di;
  const UintVector r_bits = hn::BitCast(du, r);
  const UintVector c_bits = hn::BitCast(du, c);
  const UintVector mask = hn::Set(du, kAbsMask);
  const UintVector lowest = hn::Set(du, limits.lowest);
  seen.signs = hn::Or(seen.signs, hn::Xor(r_bits, c_bits));
  const UintVector r_above = hn::Sub(hn::And(r_bits, mask), lowest);
  const UintVector c_above = hn::Sub(hn::And(c_bits, mask), lowest);
  seen.beyond_lowest = hn::Max(seen.beyond_lowest, hn::Max(r_above, c_above));
  const auto ulp = hn::Abs(hn::BitCast(di, hn::Sub(r_bits, c_bits)));
  seen.max_ulp = hn::Max(seen.max_ulp, hn::BitCast(du, ulp));
  const FloatVector less_half = hn::Sub(hn::ConvertTo(df, ulp), hn::Set(df, 0.5F));
  return hn::ShiftRight<23>(hn::BitCast(du, hn::Max(less_half, hn::Set(df, 0.25F))));
}

HWY_INLINE NearBlock reduce_near(const NearVectors& seen, const NearLimits& limits) {
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto either = [](std::uint32_t a, std::uint32_t b) { return a | b; };
  NearBlock block;
  block.max_ulp = reduce(seen.max_ulp, max);
  block.near = reduce(seen.beyond_lowest, max) < limits.beyond - limits.lowest &&
               (reduce(seen.signs, either) & ~kAbsMask) == 0 && block.max_ulp <= limits.max_ulp;
  block.max_absolute = largest_float(hn::BitCast(FloatTag(), seen.max_size));
  block.may_be_record = largest_float(seen.record) > 0;
  return block;
}

/// Also stores c-r for the sums.
HWY_INLINE NearBlock encode_near(const float* reference, const float* candidate, std::size_t count,
                                 const RelativeRecord& record, BlockCodes& codes,
                                 float* differences) {
  const FloatTag df;
  const std::size_t lanes = hn::Lanes(df);
  const RecordVectors to_beat = record_vectors(record);
  NearVectors seen = empty_near();
  auto* ulp_to = reinterpret_cast<std::uint32_t*>(codes.ulp);
  auto* relative_to = reinterpret_cast<std::uint32_t*>(codes.relative);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    UintVector ulp[4];
    UintVector relative[4];
    for (std::size_t part = 0; part < 4; ++part) {
      const FloatVector r = hn::LoadU(df, reference + i + part * lanes);
      const FloatVector c = hn::LoadU(df, candidate + i + part * lanes);
      ulp[part] = near_ulp(r, c, kFloat32Near, seen);
      const FloatVector difference = hn::Sub(c, r);
      hn::Store(difference, df, differences + i + part * lanes);
      relative[part] = near_relative(r, difference, to_beat, seen);
    }
    hn::Store(pack4(ulp[0], ulp[1], ulp[2], ulp[3]), UintTag(), ulp_to + i / 4);
    hn::Store(pack4(relative[0], relative[1], relative[2], relative[3]), UintTag(),
              relative_to + i / 4);
  }
  return reduce_near(seen, kFloat32Near);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_NEAR_INL_H_
