// Per-target SIMD code: the few best tokens of a row. Nearly every value is below the worst of the
// best so far, which one comparison of a vector tells. Included once per target; see Highway's
// foreach_target.
#if defined(PARITY_COMPARE_BEST_TOKENS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_BEST_TOKENS_INL_H_
#undef PARITY_COMPARE_BEST_TOKENS_INL_H_
#else
#define PARITY_COMPARE_BEST_TOKENS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include <hwy/highway.h>

#include "compare/row_values-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using ValueTag = TagUpTo<T, 64 / sizeof(T)>;

enum class Scan { nothing_new, may_be_better, not_a_softmax };

/// Whether the block has NaN or +Inf, or else a value above `worst`.
template <typename T>
HWY_INLINE Scan scan(const T* values, std::size_t count, T worst) {
  const ValueTag<T> tag;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const auto limit = hn::Set(tag, worst);
  const auto none = hn::Lt(infinity, infinity);
  auto usable = hn::Not(none);
  auto better = none;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto value = hn::LoadU(tag, values + i);
    usable = hn::And(usable, hn::Lt(value, infinity));
    better = hn::Or(better, hn::Gt(value, limit));
  }
  if (!hn::AllTrue(tag, usable)) return Scan::not_a_softmax;
  return hn::AllFalse(tag, better) ? Scan::nothing_new : Scan::may_be_better;
}

/// `values` are padded to whole vectors, beyond `count`, with -Inf.
template <typename T>
HWY_INLINE bool offer_block(const T* values, std::size_t first, std::size_t count,
                            BestTokens& best) {
  constexpr T kNothing = -std::numeric_limits<T>::infinity();
  const T worst = best.full() ? static_cast<T>(best.worst()) : kNothing;
  const Scan found = scan(values, padded(count), worst);
  if (found == Scan::not_a_softmax) return false;
  std::size_t offered = 0;
  for (; !best.full() && offered < count; ++offered)
    best.offer(static_cast<double>(values[offered]), first + offered);
  if (found == Scan::nothing_new || !best.full()) return true;
  const ValueTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto limit = hn::Set(tag, static_cast<T>(best.worst()));
  for (std::size_t i = offered / lanes * lanes; i < count; i += lanes) {
    if (hn::AllFalse(tag, hn::Gt(hn::LoadU(tag, values + i), limit))) continue;
    for (std::size_t at = std::max(i, offered); at < i + lanes && at < count; ++at) {
      const auto logit = static_cast<double>(values[at]);
      if (logit > best.worst()) best.offer(logit, first + at);
    }
    limit = hn::Set(tag, static_cast<T>(best.worst()));
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_BEST_TOKENS_INL_H_
