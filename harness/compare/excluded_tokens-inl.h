// Per-target SIMD code: what is kept of tokens that a side excludes with -Inf, which have no
// change. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_EXCLUDED_TOKENS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_EXCLUDED_TOKENS_INL_H_
#undef PARITY_COMPARE_EXCLUDED_TOKENS_INL_H_
#else
#define PARITY_COMPARE_EXCLUDED_TOKENS_INL_H_
#endif

#include <limits>

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/softmax_sums.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE double largest_of(DoubleVector lanes, double so_far) {
  const double found = hn::GetLane(hn::MaxOfLanes(DoubleTag(), lanes));
  return found > so_far ? found : so_far;
}

/// Extremes of a block with tokens that one side or both exclude.
struct ExcludedLanes {
  DoubleVector none;       ///< -Inf
  DoubleVector most_drop;  ///< largest -change
  DoubleVector high;
  DoubleVector p_alone;
  DoubleVector q_alone;

  /// The change of tokens finite on both sides, 0 for others.
  HWY_INLINE DoubleVector change(DoubleVector a, DoubleVector b) {
    const auto p_out = hn::Eq(a, none);
    const auto q_out = hn::Eq(b, none);
    const auto any_out = hn::Or(p_out, q_out);
    const DoubleVector difference = hn::Sub(b, a);
    most_drop = hn::Max(most_drop, hn::IfThenElse(any_out, none, hn::Neg(difference)));
    high = hn::Max(high, hn::IfThenElse(any_out, none, difference));
    p_alone = hn::Max(p_alone, hn::IfThenElse(q_out, a, none));
    q_alone = hn::Max(q_alone, hn::IfThenElse(p_out, b, none));
    return hn::IfThenZeroElse(any_out, difference);
  }

  HWY_INLINE void add_to(SoftmaxSums& sums) const {
    sums.lowest_change = -largest_of(most_drop, -sums.lowest_change);
    sums.highest_change = largest_of(high, sums.highest_change);
    sums.best_p_alone = largest_of(p_alone, sums.best_p_alone);
    sums.best_q_alone = largest_of(q_alone, sums.best_q_alone);
  }
};

HWY_INLINE ExcludedLanes no_exclusions() {
  const DoubleVector none = hn::Set(DoubleTag(), -std::numeric_limits<double>::infinity());
  return {none, none, none, none, none};
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_EXCLUDED_TOKENS_INL_H_
