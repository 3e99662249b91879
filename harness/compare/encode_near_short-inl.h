// Per-target SIMD code: as encode_near, for the 16-bit types, whose distances are counted on whole
// vectors of 16-bit integers.
#if defined(PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_
#undef PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_
#else
#define PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/encode_near-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ShortTag = TagUpTo<std::uint16_t, 32>;
using ShortVector = hn::Vec<ShortTag>;

template <typename Combine>
HWY_INLINE std::uint32_t reduce_short(ShortVector vector, Combine combine) {
  alignas(64) std::uint16_t lanes[32];
  hn::Store(vector, ShortTag(), lanes);
  std::uint32_t result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(ShortTag()); ++i) result = combine(result, lanes[i]);
  return result;
}

struct ShortVectors {
  ShortVector beyond_lowest;
  ShortVector signs;
  ShortVector max_ulp;
};

HWY_INLINE ShortVector near_short_ulp(const std::uint16_t* reference,
                                      const std::uint16_t* candidate, const NearLimits& limits,
                                      ShortVectors& seen) {
  const ShortTag d;
  const hn::RebindToSigned<ShortTag> signed_d;
  const ShortVector r = hn::LoadU(d, reference);
  const ShortVector c = hn::LoadU(d, candidate);
  const ShortVector mask = hn::Set(d, std::uint16_t{0x7FFF});
  const ShortVector lowest = hn::Set(d, static_cast<std::uint16_t>(limits.lowest));
  seen.signs = hn::Or(seen.signs, hn::Xor(r, c));
  const ShortVector above =
      hn::Max(hn::Sub(hn::And(r, mask), lowest), hn::Sub(hn::And(c, mask), lowest));
  seen.beyond_lowest = hn::Max(seen.beyond_lowest, above);
  const ShortVector ulp = hn::BitCast(d, hn::Abs(hn::BitCast(signed_d, hn::Sub(r, c))));
  seen.max_ulp = hn::Max(seen.max_ulp, ulp);
  return ulp;
}

/// The 16-bit types: codes.ulp holds the distances themselves. Also stores r and c-r as float32 for
/// the sums.
template <typename L>
HWY_INLINE NearBlock encode_near_short(const std::uint16_t* reference,
                                       const std::uint16_t* candidate, std::size_t count,
                                       const NearLimits& limits, const RelativeRecord& record,
                                       BlockCodes& codes, float* wide_reference,
                                       float* differences) {
  const ShortTag d;
  const FloatTag df;
  const std::size_t shorts = hn::Lanes(d);
  const std::size_t lanes = hn::Lanes(df);
  ShortVectors short_seen = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  auto* ulp_to = reinterpret_cast<std::uint16_t*>(codes.ulp);
  for (std::size_t i = 0; i < count; i += 2 * shorts) {
    const ShortVector low = near_short_ulp(reference + i, candidate + i, limits, short_seen);
    const ShortVector high =
        near_short_ulp(reference + i + shorts, candidate + i + shorts, limits, short_seen);
    hn::Store(hn::Or(low, hn::ShiftLeft<8>(high)), d, ulp_to + i / 2);
  }
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto either = [](std::uint32_t a, std::uint32_t b) { return a | b; };
  NearBlock block = {};
  block.max_ulp = reduce_short(short_seen.max_ulp, max);
  block.near = reduce_short(short_seen.beyond_lowest, max) < limits.beyond - limits.lowest &&
               (reduce_short(short_seen.signs, either) & 0x8000U) == 0 &&
               block.max_ulp <= limits.max_ulp;
  if (!block.near) return block;
  const RecordVectors to_beat = record_vectors(record);
  NearVectors seen = empty_near();
  auto* relative_to = reinterpret_cast<std::uint32_t*>(codes.relative);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    UintVector relative[4];
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t at = i + part * lanes;
      const FloatVector r = L::widen(reference + at);
      const FloatVector c = L::widen(candidate + at);
      hn::Store(r, df, wide_reference + at);
      const FloatVector difference = hn::Sub(c, r);
      hn::Store(difference, df, differences + at);
      relative[part] = near_relative(r, difference, to_beat, seen);
    }
    hn::Store(pack4(relative[0], relative[1], relative[2], relative[3]), UintTag(),
              relative_to + i / 4);
  }
  block.max_absolute = largest_float(hn::BitCast(df, seen.max_size));
  block.may_be_record = largest_float(seen.record) > 0;
  return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_
