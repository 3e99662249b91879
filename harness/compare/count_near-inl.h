// Per-target SIMD code: how often each byte code of a block of close pairs occurs. Such a block has
// few codes, most of them near one end. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_COUNT_NEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_COUNT_NEAR_INL_H_
#undef PARITY_COMPARE_COUNT_NEAR_INL_H_
#else
#define PARITY_COMPARE_COUNT_NEAR_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/count_codes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// How often each of the codes first .. first + 3 occurs, added to `found`.
HWY_INLINE void count_four(const std::uint8_t* codes, std::size_t count, std::size_t first,
                           std::size_t found[4]) {
  const ByteTag d;
  const auto a = hn::Set(d, static_cast<std::uint8_t>(first));
  const auto b = hn::Set(d, static_cast<std::uint8_t>(first + 1));
  const auto c = hn::Set(d, static_cast<std::uint8_t>(first + 2));
  const auto e = hn::Set(d, static_cast<std::uint8_t>(first + 3));
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto code = hn::Load(d, codes + i);
    found[0] += hn::CountTrue(d, hn::Eq(code, a));
    found[1] += hn::CountTrue(d, hn::Eq(code, b));
    found[2] += hn::CountTrue(d, hn::Eq(code, c));
    found[3] += hn::CountTrue(d, hn::Eq(code, e));
  }
}

/// Counts codes from `first` up until all `wanted` have been seen, into counts[code - first]. Looks
/// at four codes at a time, so that counts needs room for three behind the last one.
HWY_INLINE void count_upwards(const std::uint8_t* codes, std::size_t count, std::size_t first,
                              std::size_t wanted, std::uint64_t* counts) {
  for (std::size_t code = first; wanted > 0; code += 4) {
    std::size_t found[4] = {};
    count_four(codes, count, code, found);
    for (std::size_t k = 0; k < 4; ++k) {
      counts[code - first + k] += found[k];
      wanted -= found[k];
    }
  }
}

/// Counts distances below 128 that are stored themselves into `counts`, of which [0] is for 0, [1]
/// for 1, [2] for 2, [3] for 3 and 4 and so on.
HWY_INLINE void count_short_ulp(const std::uint8_t* ulp, std::size_t count, std::uint32_t max_ulp,
                                std::uint64_t* counts) {
  const hn::RebindToSigned<ByteTag> d;
  const auto* from = reinterpret_cast<const std::int8_t*>(ulp);
  std::size_t above = count;
  std::uint64_t* to = counts;
  const auto settle = [&above, &to](std::size_t beyond) {
    *to++ += above - beyond;
    above = beyond;
  };
  std::size_t beyond[4] = {};
  if (max_ulp > 1) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto value = hn::Load(d, from + i);
      beyond[0] += hn::CountTrue(d, hn::Gt(value, hn::Zero(d)));
      beyond[1] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{1})));
      beyond[2] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{2})));
      beyond[3] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{4})));
    }
  } else {
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
      beyond[0] += hn::CountTrue(d, hn::Gt(hn::Load(d, from + i), hn::Zero(d)));
  }
  for (const std::size_t number : beyond) settle(number);
  if (above > 0) {
    for (std::size_t& number : beyond) number = 0;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto value = hn::Load(d, from + i);
      beyond[0] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{8})));
      beyond[1] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{16})));
      beyond[2] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{32})));
      beyond[3] += hn::CountTrue(d, hn::Gt(value, hn::Set(d, std::int8_t{64})));
    }
    for (const std::size_t number : beyond) settle(number);
  }
  *to += above;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_COUNT_NEAR_INL_H_
