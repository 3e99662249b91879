// Per-target SIMD code: float64 sums of one block in eight fixed lanes. Fused multiplication only
// where the product is exact, since not every target has it. Included once per target; see
// Highway's foreach_target.
#if defined(PARITY_COMPARE_LANE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_LANE_SUMS_INL_H_
#undef PARITY_COMPARE_LANE_SUMS_INL_H_
#else
#define PARITY_COMPARE_LANE_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums of a block whose two sides are the same bits: three equal products, added once, and no
/// difference. `load` makes a vector of what lies at a place.
template <typename T, typename Load>
HWY_INLINE void add_identical(const T* values, std::size_t count, FusedChunk& chunk,
                              const Load& load) {
  Lanes shared = load_lanes(chunk.shared_squared);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector value = load(values + i + v * kVectorLanes);
      shared.at[v] = hn::Add(shared.at[v], hn::Mul(value, value));
    }
  }
  store_lanes(shared, chunk.shared_squared);
}

/// sum + a * b, rounded twice, or once where all of T's products are exact in float64.
template <typename T>
HWY_INLINE DoubleVector plus_product(DoubleVector a, DoubleVector b, DoubleVector sum) {
  if constexpr (sizeof(T) < sizeof(double)) return hn::MulAdd(a, b, sum);
  return hn::Add(sum, hn::Mul(a, b));
}

/// Adds a block of any pairs to all sums.
template <typename T>
HWY_INLINE void add_sums(const T* reference, const T* candidate, std::size_t count,
                         FusedChunk& chunk) {
  Lanes rr = load_lanes(chunk.reference_squared);
  Lanes cc = load_lanes(chunk.candidate_squared);
  Lanes rc = load_lanes(chunk.product);
  Lanes dd = load_lanes(chunk.difference_squared);
  Lanes sum = load_lanes(chunk.difference);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector c = load_wide(candidate + i + v * kVectorLanes);
      const DoubleVector difference = hn::Sub(c, r);
      rr.at[v] = plus_product<T>(r, r, rr.at[v]);
      cc.at[v] = plus_product<T>(c, c, cc.at[v]);
      rc.at[v] = plus_product<T>(r, c, rc.at[v]);
      dd.at[v] = hn::Add(dd.at[v], hn::Mul(difference, difference));
      sum.at[v] = hn::Add(sum.at[v], difference);
    }
  }
  store_lanes(rr, chunk.reference_squared);
  store_lanes(cc, chunk.candidate_squared);
  store_lanes(rc, chunk.product);
  store_lanes(dd, chunk.difference_squared);
  store_lanes(sum, chunk.difference);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_LANE_SUMS_INL_H_
