// Per-target SIMD code: a copy of a block without the few pairs that are not near, so that these do
// not send the whole block the slow way. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_SET_APART_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_SET_APART_INL_H_
#undef PARITY_COMPARE_SET_APART_INL_H_
#else
#define PARITY_COMPARE_SET_APART_INL_H_
#endif

#include <bit>
#include <cstring>

#include <hwy/highway.h>

#include "compare/float_lanes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The block's bit patterns with zeros on both sides of the pairs that are set apart.
template <typename Word>
struct WithoutApart {
  alignas(64) Word reference[kBlockElements];
  alignas(64) Word candidate[kBlockElements];
};

/// False when `apart` has no room for them.
template <typename Word>
HWY_INLINE bool set_apart(const void* reference, const void* candidate, std::size_t count,
                          const NearLimits& limits, WithoutApart<Word>& kept, Apart& apart) {
  const TagUpTo<Word, 64 / sizeof(Word)> d;
  const hn::RebindToSigned<decltype(d)> signed_d;
  const auto mask = hn::Set(d, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1U));
  const auto lowest = hn::Set(d, static_cast<Word>(limits.lowest));
  const auto top = hn::Set(d, static_cast<Word>(limits.beyond - 1));
  const auto farthest = hn::Set(d, static_cast<Word>(limits.max_ulp));
  const auto* r_from = static_cast<const Word*>(reference);
  const auto* c_from = static_cast<const Word*>(candidate);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto r = hn::LoadU(d, r_from + i);
    const auto c = hn::LoadU(d, c_from + i);
    const auto r_size = hn::And(r, mask);
    const auto larger = hn::Max(r_size, hn::And(c, mask));
    const auto ulp = hn::BitCast(d, hn::Abs(hn::BitCast(signed_d, hn::Sub(r, c))));
    const auto inside =
        hn::And(hn::Eq(hn::Min(r_size, lowest), lowest), hn::Eq(hn::Min(larger, top), larger));
    const auto usual = hn::Or(hn::Eq(larger, hn::Zero(d)), inside);
    const auto near = hn::And(usual, hn::Eq(hn::Min(ulp, farthest), ulp));
    hn::Store(hn::IfThenElseZero(near, r), d, kept.reference + i);
    hn::Store(hn::IfThenElseZero(near, c), d, kept.candidate + i);
    alignas(8) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(near), bits);
    std::uint64_t left;
    std::memcpy(&left, bits, sizeof(left));
    for (; left != 0; left &= left - 1) {
      if (apart.count == apart.room) return false;
      apart.places[apart.count++] =
          static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_SET_APART_INL_H_
