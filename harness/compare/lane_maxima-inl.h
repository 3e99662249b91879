// Per-target SIMD code: the largest errors of one block in float64. Included once per target; see
// Highway's foreach_target.
#if defined(PARITY_COMPARE_LANE_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_LANE_MAXIMA_INL_H_
#undef PARITY_COMPARE_LANE_MAXIMA_INL_H_
#else
#define PARITY_COMPARE_LANE_MAXIMA_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Largest abs(c-r) of a block, exact in float64.
template <typename T>
HWY_INLINE double max_absolute_of(const T* reference, const T* candidate, std::size_t count) {
  Lanes top = load_lanes(LaneSum{});
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector c = load_wide(candidate + i + v * kVectorLanes);
      top.at[v] = hn::Max(top.at[v], hn::Abs(hn::Sub(c, r)));
    }
  }
  return lane_max(top);
}

/// Largest abs(c-r)/abs(r) of a block over non-zero references.
template <typename T>
HWY_INLINE double max_relative_of(const T* reference, const T* candidate, std::size_t count) {
  const DoubleTag d;
  const DoubleVector zero = hn::Zero(d);
  Lanes top = load_lanes(LaneSum{});
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector c = load_wide(candidate + i + v * kVectorLanes);
      const DoubleVector relative = hn::Div(hn::Abs(hn::Sub(c, r)), hn::Abs(r));
      top.at[v] = hn::Max(top.at[v], hn::IfThenElse(hn::Eq(r, zero), zero, relative));
    }
  }
  return lane_max(top);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_LANE_MAXIMA_INL_H_
