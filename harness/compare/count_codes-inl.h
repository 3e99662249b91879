// Per-target SIMD code: how often each byte code occurs in a block. A comparison per code and
// vector beats a table increment per element as long as there are few different codes.
#if defined(PARITY_COMPARE_COUNT_CODES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_COUNT_CODES_INL_H_
#undef PARITY_COMPARE_COUNT_CODES_INL_H_
#else
#define PARITY_COMPARE_COUNT_CODES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/fused_kernel.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct CodeSpan {
  std::uint8_t lowest;
  std::uint8_t highest;
};

using ByteTag = TagUpTo<std::uint8_t, kBlockGranule>;

/// Span of the codes other than 0 and 255; lowest > highest when there are none.
HWY_INLINE CodeSpan span_of(const std::uint8_t* codes, std::size_t count) {
  const ByteTag d;
  const auto one = hn::Set(d, std::uint8_t{1});
  auto lowest = hn::Set(d, std::uint8_t{255});
  auto highest = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto code = hn::Load(d, codes + i);
    lowest = hn::Min(lowest, hn::Sub(code, one));
    highest = hn::Max(highest, hn::Add(code, one));
  }
  alignas(64) std::uint8_t low[kBlockGranule];
  alignas(64) std::uint8_t high[kBlockGranule];
  hn::Store(lowest, d, low);
  hn::Store(highest, d, high);
  CodeSpan span{255, 0};
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    span.lowest = low[i] < span.lowest ? low[i] : span.lowest;
    span.highest = high[i] > span.highest ? high[i] : span.highest;
  }
  return {static_cast<std::uint8_t>(span.lowest + 1), static_cast<std::uint8_t>(span.highest - 1)};
}

HWY_INLINE std::size_t count_byte(const std::uint8_t* codes, std::size_t count, std::size_t code) {
  const ByteTag d;
  const auto wanted = hn::Set(d, static_cast<std::uint8_t>(code));
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    found += hn::CountTrue(d, hn::Eq(hn::Load(d, codes + i), wanted));
  return found;
}

HWY_INLINE std::size_t count_one(const std::uint8_t* codes, std::size_t count, std::size_t code,
                                 std::array<std::uint64_t, 256>& counts) {
  const std::size_t found = count_byte(codes, count, code);
  counts[code] += found;
  return found;
}

/// Past this many different codes a table increment per element is cheaper than a comparison per
/// code.
constexpr int kComparedCodes =
    HWY_TARGET == HWY_SCALAR ? 0 : 2 * static_cast<int>(HWY_LANES(std::uint8_t)) / 3 + 8;

/// Counts the codes within `span`; all others are left out.
HWY_INLINE void count_codes(const std::uint8_t* codes, std::size_t count, CodeSpan span,
                            std::array<std::uint64_t, 256>& counts) {
  if (span.highest < span.lowest) return;
  if (span.highest - span.lowest < kComparedCodes) {
    for (std::size_t code = span.lowest; code <= span.highest; ++code)
      count_one(codes, count, code, counts);
    return;
  }
  count_by_table(codes, count, span.lowest, span.highest, counts);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_COUNT_CODES_INL_H_
