// Per-target SIMD code: eight running float64 values in as many vectors as the target needs, so
// that every target adds in the same order. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_DOUBLE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_DOUBLE_LANES_INL_H_
#undef PARITY_COMPARE_DOUBLE_LANES_INL_H_
#else
#define PARITY_COMPARE_DOUBLE_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/fused_kernel.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = TagUpTo<double, kSumLanes>;
using DoubleVector = hn::Vec<DoubleTag>;
inline constexpr std::size_t kVectorLanes = hn::MaxLanes(DoubleTag());
inline constexpr std::size_t kVectors = kSumLanes / kVectorLanes;

HWY_INLINE DoubleVector load_wide(const float* from) {
  const hn::Rebind<float, DoubleTag> narrow;
  return hn::PromoteTo(DoubleTag(), hn::LoadU(narrow, from));
}
HWY_INLINE DoubleVector load_wide(const double* from) { return hn::LoadU(DoubleTag(), from); }

/// kSumLanes running values in as many vectors as the target needs.
struct Lanes {
  DoubleVector at[kVectors];
};

HWY_INLINE Lanes load_lanes(const LaneSum& from) {
  Lanes lanes;
  // Temporaries are not aligned to vectors.
  for (std::size_t v = 0; v < kVectors; ++v)
    lanes.at[v] = hn::LoadU(DoubleTag(), from.data() + v * kVectorLanes);
  return lanes;
}

HWY_INLINE void store_lanes(const Lanes& lanes, LaneSum& to) {
  for (std::size_t v = 0; v < kVectors; ++v)
    hn::Store(lanes.at[v], DoubleTag(), to.data() + v * kVectorLanes);
}

HWY_INLINE double lane_max(const Lanes& lanes) {
  alignas(64) LaneSum values;
  store_lanes(lanes, values);
  double result = values[0];
  for (const double value : values) result = value > result ? value : result;
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_DOUBLE_LANES_INL_H_
