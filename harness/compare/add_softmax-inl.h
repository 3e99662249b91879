// Per-target SIMD code: adds a block of two rows to the sums of their softmaxes, in the cheapest of
// three ways that the block's values allow. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_ADD_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ADD_SOFTMAX_INL_H_
#undef PARITY_COMPARE_ADD_SOFTMAX_INL_H_
#else
#define PARITY_COMPARE_ADD_SOFTMAX_INL_H_
#endif

#include <algorithm>

#include <hwy/highway.h>

#include "compare/excluded_tokens-inl.h"
#include "compare/exp-inl.h"
#include "compare/row_kernel.h"
#include "compare/softmax_block-inl.h"
#include "compare/softmax_lanes-inl.h"
#include "compare/softmax_sums.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One exp for both sides, and the exact bend of small changes. Nonsense unless the extremes that
/// it returns are near.
template <typename R, typename C>
HWY_INLINE Extremes sum_near(const Block<R, C>& block, SoftmaxLanes& lanes) {
  ExtremeLanes extremes = no_extremes();
  // Two short loops, whose steps overlap more than those of a long one.
  alignas(64) double weights[kRowBlock];
  alignas(64) double changes[kRowBlock];
  for (std::size_t i = 0; i < block.count; i += kVectorLanes) {
    const DoubleVector a = block.a(i);
    const DoubleVector change = hn::Sub(block.b(i), a);
    extremes.take(a, change);
    hn::Store(exp_of_normal(a), DoubleTag(), weights + i);
    hn::Store(change, DoubleTag(), changes + i);
  }
  Lanes bent_change = load_lanes(LaneSum{});
  for (std::size_t i = 0; i < block.count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector p = hn::Load(DoubleTag(), weights + i + v * kVectorLanes);
      const DoubleVector change = hn::Load(DoubleTag(), changes + i + v * kVectorLanes);
      const DoubleVector p_change = hn::Mul(p, change);
      const DoubleVector p_square = hn::Mul(p_change, change);
      const DoubleVector bent = hn::Mul(p_square, bend_of_near(change));
      accumulate(p, lanes.p.at[v]);
      accumulate(p_change, lanes.p_change.at[v]);
      accumulate(p_square, lanes.q_change.at[v]);
      accumulate(bent, lanes.grown.at[v]);
      accumulate(hn::Mul(bent, change), bent_change.at[v]);
    }
  }
  // q' - p' = p' (change + bend change^2)
  for (std::size_t v = 0; v < kVectors; ++v) {
    accumulate(lanes.p_change.at[v], lanes.grown.at[v]);
    lanes.q.at[v] = hn::Add(lanes.p.at[v], lanes.grown.at[v]);
    lanes.q_change.at[v] =
        hn::Add(lanes.p_change.at[v], hn::Add(lanes.q_change.at[v], bent_change.at[v]));
  }
  return extremes.extremes();
}

/// For blocks of normal extremes.
template <typename R, typename C>
HWY_INLINE void sum_normal(const Block<R, C>& block, SoftmaxLanes& lanes) {
  for (std::size_t i = 0; i < block.count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector a = block.a(i + v * kVectorLanes);
      const DoubleVector b = block.b(i + v * kVectorLanes);
      const DoubleVector change = hn::Sub(b, a);
      const DoubleVector p = exp_of_normal(a);
      const DoubleVector q = exp_of_normal(b);
      accumulate(p, lanes.p.at[v]);
      accumulate(q, lanes.q.at[v]);
      accumulate(hn::Mul(p, change), lanes.p_change.at[v]);
      accumulate(hn::Mul(q, change), lanes.q_change.at[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v)
    lanes.grown.at[v] = hn::Sub(lanes.q.at[v], lanes.p.at[v]);
}

/// For blocks of any values.
template <typename R, typename C>
HWY_INLINE void sum_any(const Block<R, C>& block, SoftmaxLanes& lanes, SoftmaxSums& sums) {
  ExcludedLanes excluded = no_exclusions();
  for (std::size_t i = 0; i < block.count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector a = block.a(i + v * kVectorLanes);
      const DoubleVector b = block.b(i + v * kVectorLanes);
      const DoubleVector change = excluded.change(a, b);
      const DoubleVector p = exp_of_any(a);
      const DoubleVector q = exp_of_any(b);
      accumulate(p, lanes.p.at[v]);
      accumulate(q, lanes.q.at[v]);
      accumulate(hn::Sub(q, p), lanes.grown.at[v]);
      accumulate(hn::Mul(p, change), lanes.p_change.at[v]);
      accumulate(hn::Mul(q, change), lanes.q_change.at[v]);
    }
  }
  excluded.add_to(sums);
}

template <typename R, typename C>
HWY_INLINE void add_softmax(const Block<R, C>& block, SoftmaxSums& sums) {
  SoftmaxLanes lanes = nothing_yet();
  // After a near block the next one is taken for near, too, and its extremes come along.
  const Extremes extremes = sums.expect_near ? sum_near(block, lanes) : extremes_of(block);
  const bool summed = sums.expect_near && extremes.near();
  sums.expect_near = extremes.near();
  if (!summed) {
    lanes = nothing_yet();
    if (extremes.near()) {
      static_cast<void>(sum_near(block, lanes));
    } else if (extremes.normal()) {
      sum_normal(block, lanes);
    } else {
      sum_any(block, lanes, sums);
    }
  }
  if (extremes.near() || extremes.normal()) {
    sums.lowest_change = std::min(sums.lowest_change, extremes.lowest_change);
    sums.highest_change = std::max(sums.highest_change, extremes.highest_change);
  }
  add_block(lanes, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ADD_SOFTMAX_INL_H_
