// Kernel for float64: range check and sums by SIMD, distances by scalar integer code. A pair is 16
// bytes, so memory leaves time for a table increment per element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_float64.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/fused_kernel.h"
#include "compare/lane_sums-inl.h"
#include "compare/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// True when every value is zero or has a magnitude in [2^-400, 2^400): squares stay inside the
/// range, and c-r is neither subnormal nor infinite. False for NaN.
HWY_INLINE bool all_everyday(const double* values, std::size_t count) {
  const DoubleTag d;
  const DoubleVector lowest = hn::Set(d, 0x1p-400);
  const DoubleVector beyond = hn::Set(d, 0x1p+400);
  const DoubleVector one = hn::Set(d, 1.0);
  DoubleVector good = one;
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const DoubleVector size = hn::Abs(hn::LoadU(d, values + i));
    const auto inside = hn::And(hn::Ge(size, lowest), hn::Lt(size, beyond));
    const auto everyday = hn::Or(inside, hn::Eq(size, hn::Zero(d)));
    good = hn::IfThenElseZero(everyday, good);
  }
  return hn::AllTrue(d, hn::Eq(good, one));
}

BlockResult FuseFloat64(const double* reference, const double* candidate, std::size_t count,
                        FusedChunk& chunk) {
  if (!all_everyday(reference, count)) return {};
  if (same_bytes(reference, candidate, count * sizeof(double))) {
    add_identical(reference, count, after(reference, candidate, count), chunk);
    chunk.elements += count;
    chunk.ulp_codes[kUlpCodeZero] += count;
    return {BlockOutcome::fused, 0};
  }
  if (!all_everyday(candidate, count)) return {};
  add_sums(reference, candidate, count, after(reference, candidate, count), chunk);
  chunk.elements += count;
  return {BlockOutcome::fused, count_float64(reference, candidate, count, chunk)};
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

HWY_EXPORT(FuseFloat64);

BlockResult fuse_float64(std::span<const double> reference, std::span<const double> candidate,
                         FusedChunk& chunk) {
  return HWY_DYNAMIC_DISPATCH(FuseFloat64)(reference.data(), candidate.data(), reference.size(),
                                           chunk);
}

}  // namespace parity::compare
#endif  // HWY_ONCE
