// Per-target SIMD code: float64 sums of close pairs from r and c-r in eight fixed lanes. c*c = r*r
// + 2 r (c-r) + (c-r)^2 and r*c = r*r + r (c-r) lose nothing where c is at least half of r, and
// cost fewer instructions. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_NEAR_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_NEAR_SUMS_INL_H_
#undef PARITY_COMPARE_NEAR_SUMS_INL_H_
#else
#define PARITY_COMPARE_NEAR_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/float_lanes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of float64 that one vector of float32 widens to: 2, or 1 on the scalar target.
inline constexpr std::size_t kWidened = hn::MaxLanes(FloatTag()) / kVectorLanes;

struct Widened {
  DoubleVector at[kWidened];
};

HWY_INLINE Widened widen_all(FloatVector narrow) {
  Widened wide;
#if HWY_TARGET == HWY_SCALAR
  wide.at[0] = hn::PromoteTo(DoubleTag(), narrow);
#else
  wide.at[0] = hn::PromoteTo(DoubleTag(), hn::LowerHalf(narrow));
  wide.at[1] = hn::PromoteTo(DoubleTag(), hn::UpperHalf(hn::Half<FloatTag>(), narrow));
#endif
  return wide;
}

/// The lanes' vector that element `at` of a block falls into.
HWY_INLINE std::size_t vector_of(std::size_t at) { return at % kSumLanes / kVectorLanes; }

struct NearSums {
  Lanes squared;             ///< r*r
  Lanes cross;               ///< r*(c-r)
  Lanes difference_squared;  ///< (c-r)^2
  Lanes difference;          ///< c-r
};

HWY_INLINE NearSums load_near_sums(const FusedChunk& chunk) {
  return {load_lanes(chunk.shared_squared), load_lanes(chunk.near_cross),
          load_lanes(chunk.near_difference_squared), load_lanes(chunk.difference)};
}

HWY_INLINE void store_near_sums(const NearSums& sums, FusedChunk& chunk) {
  store_lanes(sums.squared, chunk.shared_squared);
  store_lanes(sums.cross, chunk.near_cross);
  store_lanes(sums.difference_squared, chunk.near_difference_squared);
  store_lanes(sums.difference, chunk.difference);
}

/// Adds the pairs from element `at` of the block on. A product of two float32 values is exact in
/// float64, so that fused and separate multiplication and addition give the same bits.
HWY_INLINE void add_near(FloatVector reference, FloatVector difference, std::size_t at,
                         NearSums& sums) {
  const Widened r = widen_all(reference);
  const Widened d = widen_all(difference);
  for (std::size_t half = 0; half < kWidened; ++half) {
    const std::size_t v = vector_of(at + half * kVectorLanes);
    sums.squared.at[v] = hn::MulAdd(r.at[half], r.at[half], sums.squared.at[v]);
    sums.cross.at[v] = hn::MulAdd(r.at[half], d.at[half], sums.cross.at[v]);
    sums.difference_squared.at[v] =
        hn::MulAdd(d.at[half], d.at[half], sums.difference_squared.at[v]);
    sums.difference.at[v] = hn::Add(sums.difference.at[v], d.at[half]);
  }
}

/// Adds values that are the same on both sides: three equal products, added once, and no
/// difference.
HWY_INLINE void add_same(FloatVector values, std::size_t at, Lanes& squared) {
  const Widened wide = widen_all(values);
  for (std::size_t half = 0; half < kWidened; ++half) {
    const std::size_t v = vector_of(at + half * kVectorLanes);
    squared.at[v] = hn::MulAdd(wide.at[half], wide.at[half], squared.at[v]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_NEAR_SUMS_INL_H_
