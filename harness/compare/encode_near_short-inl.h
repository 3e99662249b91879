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
  ShortVector lowest_less_one;  ///< as in NearVectors
  ShortVector highest;
  ShortVector max_ulp;
};

HWY_INLINE ShortVector near_short_ulp(const std::uint16_t* reference,
                                      const std::uint16_t* candidate, ShortVectors& seen) {
  const ShortTag d;
  const hn::RebindToSigned<ShortTag> signed_d;
  const ShortVector r = hn::LoadU(d, reference);
  const ShortVector c = hn::LoadU(d, candidate);
  const ShortVector mask = hn::Set(d, std::uint16_t{0x7FFF});
  const ShortVector larger = hn::Max(hn::And(r, mask), hn::And(c, mask));
  seen.highest = hn::Max(seen.highest, larger);
  seen.lowest_less_one =
      hn::Min(seen.lowest_less_one, hn::Sub(larger, hn::Set(d, std::uint16_t{1})));
  const ShortVector ulp = hn::BitCast(d, hn::Abs(hn::BitCast(signed_d, hn::Sub(r, c))));
  seen.max_ulp = hn::Max(seen.max_ulp, ulp);
  return ulp;
}

/// Distances themselves as bytes to codes.ulp; the block's sums and relative codes are still to be
/// taken.
HWY_INLINE NearBlock measure_near_short(const std::uint16_t* reference,
                                        const std::uint16_t* candidate, std::size_t count,
                                        const NearLimits& limits, BlockCodes& codes) {
  const ShortTag d;
  const std::size_t shorts = hn::Lanes(d);
  const ShortVector zero = hn::Zero(d);
  ShortVectors seen = {hn::Set(d, std::uint16_t{0xFFFF}), zero, zero};
  auto* ulp_to = reinterpret_cast<std::uint16_t*>(codes.ulp);
  for (std::size_t i = 0; i < count; i += 2 * shorts) {
    const ShortVector low = near_short_ulp(reference + i, candidate + i, seen);
    const ShortVector high = near_short_ulp(reference + i + shorts, candidate + i + shorts, seen);
    hn::Store(hn::Or(low, hn::ShiftLeft<8>(high)), d, ulp_to + i / 2);
  }
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  NearBlock block = {};
  block.max_ulp = reduce_short(seen.max_ulp, max);
  block.near = block.max_ulp <= limits.max_ulp && reduce_short(seen.highest, max) < limits.beyond &&
               reduce_short(seen.lowest_less_one, min) >= limits.lowest - 1;
  return block;
}

/// The 16-bit types: codes.ulp holds the distances themselves. Also adds r and c-r to `sums`.
template <typename L>
HWY_INLINE NearBlock encode_near_short(const std::uint16_t* reference,
                                       const std::uint16_t* candidate, std::size_t count,
                                       const RelativeRecord& record, BlockCodes& codes,
                                       NearSums& sums) {
  const FloatTag df;
  const std::size_t lanes = hn::Lanes(df);
  NearBlock block = measure_near_short(reference, candidate, count, L::near_limits(), codes);
  if (!block.near) return block;
  const RecordVectors to_beat = record_vectors(record);
  NearVectors seen = empty_near();
  NearSums running = sums;
  auto* relative_to = reinterpret_cast<std::uint32_t*>(codes.relative);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    UintVector relative[4];
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t at = i + part * lanes;
      const FloatVector r = L::widen(reference + at);
      const FloatVector difference = hn::Sub(L::widen(candidate + at), r);
      const UintVector r_size = hn::And(hn::BitCast(UintTag(), r), hn::Set(UintTag(), kAbsMask));
      relative[part] = near_relative<L::kProducts>(r_size, difference, to_beat, seen);
      add_near(r, difference, at, running);
    }
    hn::Store(pack4(relative[0], relative[1], relative[2], relative[3]), UintTag(),
              relative_to + i / 4);
  }
  sums = running;
  block.max_absolute = largest_float(hn::BitCast(df, seen.max_size));
  block.may_be_record = largest_float(seen.record) > 0;
  return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ENCODE_NEAR_SHORT_INL_H_
