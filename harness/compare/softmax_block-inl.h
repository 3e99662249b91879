// Per-target SIMD code: a block of two rows of logits below their largest, and the extremes that
// tell how it may be summed. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_SOFTMAX_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_SOFTMAX_BLOCK_INL_H_
#undef PARITY_COMPARE_SOFTMAX_BLOCK_INL_H_
#else
#define PARITY_COMPARE_SOFTMAX_BLOCK_INL_H_
#endif

#include <limits>

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Largest {
  double reference;
  double candidate;
};

/// A block of both rows, R and C float or double; `count` is a multiple of kSumLanes.
template <typename R, typename C>
struct Block {
  const R* reference;
  const C* candidate;
  std::size_t count;
  Largest largest;

  /// a and b of SoftmaxSums, exact or rounded once.
  HWY_INLINE DoubleVector a(std::size_t at) const {
    return hn::Sub(load_wide(reference + at), hn::Set(DoubleTag(), largest.reference));
  }
  HWY_INLINE DoubleVector b(std::size_t at) const {
    return hn::Sub(load_wide(candidate + at), hn::Set(DoubleTag(), largest.candidate));
  }
};

/// Which way a block takes is decided by these alone, and so the same on every target. Changes mean
/// nothing where `lowest` is -Inf.
struct Extremes {
  double lowest;  ///< a
  double lowest_change;
  double highest_change;

  [[nodiscard]] bool near() const {
    return lowest >= kLowestNormalExp && lowest_change >= -kNearChange &&
           highest_change <= kNearChange;
  }
  /// b is at least a + change.
  [[nodiscard]] bool normal() const {
    return lowest >= kLowestNormalExp && lowest + lowest_change >= kLowestNormalExp;
  }
};

struct ExtremeLanes {
  DoubleVector lowest;
  DoubleVector low;
  DoubleVector high;

  HWY_INLINE void take(DoubleVector a, DoubleVector change) {
    lowest = hn::Min(lowest, a);
    low = hn::Min(low, change);
    high = hn::Max(high, change);
  }
  HWY_INLINE Extremes extremes() const {
    const DoubleTag d;
    return {hn::GetLane(hn::MinOfLanes(d, lowest)), hn::GetLane(hn::MinOfLanes(d, low)),
            hn::GetLane(hn::MaxOfLanes(d, high))};
  }
};

HWY_INLINE ExtremeLanes no_extremes() {
  const DoubleVector none = hn::Set(DoubleTag(), std::numeric_limits<double>::infinity());
  return {none, none, hn::Neg(none)};
}

template <typename R, typename C>
HWY_INLINE Extremes extremes_of(const Block<R, C>& block) {
  ExtremeLanes extremes = no_extremes();
  for (std::size_t i = 0; i < block.count; i += kVectorLanes) {
    const DoubleVector a = block.a(i);
    extremes.take(a, hn::Sub(block.b(i), a));
  }
  return extremes.extremes();
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_SOFTMAX_BLOCK_INL_H_
