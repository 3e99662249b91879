// Per-target SIMD code: the sums of one block of two softmaxes in vectors, before they are added to
// those of the row. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_SOFTMAX_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_SOFTMAX_LANES_INL_H_
#undef PARITY_COMPARE_SOFTMAX_LANES_INL_H_
#else
#define PARITY_COMPARE_SOFTMAX_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/softmax_sums.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums of one block, so that the long sums have few terms.
struct SoftmaxLanes {
  Lanes p;
  Lanes q;
  Lanes grown;
  Lanes p_change;
  Lanes q_change;
};

HWY_INLINE SoftmaxLanes nothing_yet() {
  const Lanes zero = load_lanes(LaneSum{});
  return {zero, zero, zero, zero, zero};
}

HWY_INLINE void accumulate(DoubleVector value, DoubleVector& sum) { sum = hn::Add(sum, value); }

HWY_INLINE void add_lanes(const Lanes& block, LaneSum& total) {
  Lanes sum = load_lanes(total);
  for (std::size_t v = 0; v < kVectors; ++v) accumulate(block.at[v], sum.at[v]);
  store_lanes(sum, total);
}

HWY_INLINE void add_block(const SoftmaxLanes& block, SoftmaxSums& sums) {
  add_lanes(block.p, sums.p);
  add_lanes(block.q, sums.q);
  add_lanes(block.grown, sums.grown);
  add_lanes(block.p_change, sums.p_change);
  add_lanes(block.q_change, sums.q_change);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_SOFTMAX_LANES_INL_H_
