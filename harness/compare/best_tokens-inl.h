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

/// scan of a block of bfloat16 or float16 as bit patterns, whose order is that of integers once the
/// magnitude of negative ones is turned round. `worst` is a pattern, too; -0 is below +0 here, so
/// that a block may be offered in vain.
HWY_INLINE Scan scan_halves(const std::uint16_t* values, std::size_t count, std::uint16_t infinity,
                            std::uint16_t worst) {
  const TagUpTo<std::int16_t, 32> tag;
  const hn::RebindToUnsigned<decltype(tag)> bits_tag;
  const auto magnitude = hn::Set(tag, std::int16_t{0x7FFF});
  const auto ordered = [&](auto bits) HWY_ATTR {
    const auto value = hn::BitCast(tag, bits);
    return hn::Xor(value, hn::And(hn::ShiftRight<15>(value), magnitude));
  };
  const auto top = hn::BitCast(tag, hn::Set(bits_tag, infinity));
  auto highest = ordered(hn::LoadU(bits_tag, values));
  auto lowest = highest;
  for (std::size_t i = hn::Lanes(tag); i < count; i += hn::Lanes(tag)) {
    const auto value = ordered(hn::LoadU(bits_tag, values + i));
    highest = hn::Max(highest, value);
    lowest = hn::Min(lowest, value);
  }
  // Every bit of +Inf turned round is -Inf.
  const auto broken = hn::Or(hn::Lt(lowest, hn::Not(top)), hn::Not(hn::Lt(highest, top)));
  if (!hn::AllFalse(tag, broken)) return Scan::not_a_softmax;
  const auto better = hn::Gt(highest, ordered(hn::Set(bits_tag, worst)));
  return hn::AllFalse(tag, better) ? Scan::nothing_new : Scan::may_be_better;
}

/// Whether a block of a full search can be passed over by its bit patterns alone.
HWY_INLINE bool nothing_new_in_halves(const LogitsRow& row, std::size_t first, std::size_t count,
                                      const BestTokens& best) {
  const bool halves = row.kind == RowKind::bfloat16 || row.kind == RowKind::float16;
  const auto* values = reinterpret_cast<const std::uint16_t*>(row.bytes) + first;
  const bool aligned = reinterpret_cast<std::uintptr_t>(row.bytes) % alignof(std::uint16_t) == 0;
  if (!halves || !best.full() || !aligned || count % 32 != 0) return false;
  const std::uint16_t infinity =
      row.kind == RowKind::bfloat16 ? BFloat16Lanes::kInfinity : Float16Lanes::kInfinity;
  const std::uint16_t worst =
      reinterpret_cast<const std::uint16_t*>(row.bytes)[best.tokens().back().index];
  return scan_halves(values, count, infinity, worst) == Scan::nothing_new;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_BEST_TOKENS_INL_H_
