// Kernel for float64: range check and sums by SIMD, distances by scalar integer code. A pair is 16
// bytes, so memory leaves time for a table increment per element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_float64.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include <limits>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/count_codes-inl.h"
#include "compare/fused_kernel.h"
#include "compare/lane_maxima-inl.h"
#include "compare/lane_sums-inl.h"
#include "compare/same_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// True when every value is zero or has a magnitude in [2^-400, 2^400): squares stay inside the
/// range, and c-r is neither subnormal nor infinite. False for NaN.
HWY_INLINE bool all_everyday(const double* values, std::size_t count) {
  const DoubleTag d;
  const DoubleVector lowest = hn::Set(d, 0x1p-400);
  const DoubleVector beyond = hn::Set(d, 0x1p+400);
  const DoubleVector one = hn::Set(d, 1.0);
  DoubleVector good = one;
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const DoubleVector size = hn::Abs(hn::LoadU(d, values + i));
    const auto inside = hn::And(hn::Ge(size, lowest), hn::Lt(size, beyond));
    const auto everyday = hn::Or(inside, hn::Eq(size, hn::Zero(d)));
    good = hn::IfThenElseZero(everyday, good);
  }
  return hn::AllTrue(d, hn::Eq(good, one));
}

struct Extremes {
  double max_absolute;
  bool may_be_record;  ///< some relative error may pass the largest so far
};

HWY_INLINE Extremes extremes_of(const double* reference, const double* candidate, std::size_t count,
                                double largest) {
  // The product is off by less than the margin.
  const DoubleTag d;
  const DoubleVector limit = hn::Set(d, largest * (1 - 0x1p-50));
  Lanes top = load_lanes(LaneSum{});
  Lanes excess = load_lanes(LaneSum{});
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector c = load_wide(candidate + i + v * kVectorLanes);
      const DoubleVector size = hn::Abs(hn::Sub(c, r));
      top.at[v] = hn::Max(top.at[v], size);
      excess.at[v] = hn::Max(excess.at[v], hn::Sub(size, hn::Mul(hn::Abs(r), limit)));
    }
  }
  return {lane_max(top), lane_max(excess) > 0};
}

using WordTag = hn::RebindToSigned<DoubleTag>;
using WordVector = hn::Vec<WordTag>;

HWY_INLINE WordVector pick(WordVector mask, WordVector yes, WordVector no) {
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
}

/// All ones where the value is zero, for values of either sign.
HWY_INLINE WordVector is_zero(WordVector value) {
  return hn::VecFromMask(WordTag(), hn::Eq(value, hn::Zero(WordTag())));
}

/// Fills in the distances; returns the number of zero pairs of unequal sign.
HWY_INLINE std::uint64_t measure(const double* reference, const double* candidate,
                                 std::size_t count, Float64Distances& distances) {
  const DoubleTag d;
  const WordTag di;
  const hn::RebindToUnsigned<WordTag> du;
  const WordVector mask = hn::Set(di, std::numeric_limits<std::int64_t>::max());
  const WordVector bias = hn::Set(di, std::int64_t{kRelativeCodeBias} << 52);
  const WordVector top = hn::Set(di, static_cast<std::int64_t>(kRelativeCodeTop));
  const WordVector none = hn::Set(di, static_cast<std::int64_t>(kRelativeCodeNone));
  WordVector zero_sign = hn::Zero(di);
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const DoubleVector r = hn::LoadU(d, reference + i);
    const DoubleVector c = hn::LoadU(d, candidate + i);
    const WordVector r_size = hn::And(hn::BitCast(di, r), mask);
    const WordVector c_size = hn::And(hn::BitCast(di, c), mask);
    const WordVector opposite =
        hn::BroadcastSignBit(hn::Xor(hn::BitCast(di, r), hn::BitCast(di, c)));
    const WordVector apart = hn::Sub(r_size, c_size);
    const WordVector sign = hn::BroadcastSignBit(apart);
    const WordVector ulp =
        pick(opposite, hn::Add(r_size, c_size), hn::Sub(hn::Xor(apart, sign), sign));
    const WordVector equal = is_zero(ulp);
    hn::Store(hn::BitCast(du, ulp), du, distances.ulp + i);
    zero_sign = hn::Sub(zero_sign, hn::And(equal, opposite));
    // The difference of two patterns is that of their exponents, less one where the first mantissa
    // is smaller. Biased it is negative for equal pairs alone.
    const WordVector size = hn::BitCast(di, hn::Abs(hn::Sub(c, r)));
    const auto biased = hn::BitCast(du, hn::Add(hn::Sub(size, r_size), bias));
    const WordVector code = hn::BitCast(di, hn::ShiftRight<52>(biased));
    const WordVector beyond = hn::BroadcastSignBit(hn::Sub(top, code));
    const WordVector unequal = pick(is_zero(r_size), none, pick(beyond, top, code));
    hn::Store(hn::AndNot(equal, unequal), di, distances.relative_code + i);
  }
  alignas(64) std::int64_t lanes[kVectorLanes];
  hn::Store(zero_sign, di, lanes);
  std::uint64_t total = 0;
  for (const std::int64_t lane : lanes) total += static_cast<std::uint64_t>(lane);
  return total;
}

BlockResult FuseFloat64(const double* reference, const double* candidate, std::size_t count,
                        FusedChunk& chunk) {
  if (!all_everyday(reference, count)) return {};
  if (same_bytes(reference, candidate, count * sizeof(double))) {
    add_identical(reference, count, chunk, [](const double* from) { return load_wide(from); });
    chunk.elements += count;
    chunk.ulp_codes[kUlpCodeZero] += count;
    return {BlockOutcome::fused, 0};
  }
  if (!all_everyday(candidate, count)) return {};
  add_sums(reference, candidate, count, chunk);
  const Extremes extremes = extremes_of(reference, candidate, count, chunk.record.largest);
  chunk.max_absolute =
      extremes.max_absolute > chunk.max_absolute ? extremes.max_absolute : chunk.max_absolute;
  if (extremes.may_be_record) {
    const double found = max_relative_of(reference, candidate, count);
    chunk.record.largest = found > chunk.record.largest ? found : chunk.record.largest;
  }
  chunk.elements += count;
  Float64Distances distances{};
  chunk.zero_sign += measure(reference, candidate, count, distances);
  Float64Codes codes;
  const std::uint64_t max_ulp = to_codes(distances, count, codes);
  chunk.max_ulp = max_ulp > chunk.max_ulp ? max_ulp : chunk.max_ulp;
  chunk.ulp_codes[kUlpCodeZero] += count_one(codes.ulp_bin, count, 0, chunk.wide_ulp);
  count_codes(codes.ulp_bin, count, span_of(codes.ulp_bin, count), chunk.wide_ulp);
  count_codes(codes.relative, count, span_of(codes.relative, count), chunk.relative_codes);
  static_cast<void>(count_one(codes.relative, count, kRelativeCodeNone, chunk.relative_codes));
  return {BlockOutcome::fused, max_ulp};
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

HWY_EXPORT(FuseFloat64);

BlockResult fuse_float64(std::span<const double> reference, std::span<const double> candidate,
                         FusedChunk& chunk, Apart& apart) {
  apart.count = 0;
  return HWY_DYNAMIC_DISPATCH(FuseFloat64)(reference.data(), candidate.data(), reference.size(),
                                           chunk);
}

}  // namespace parity::compare
#endif  // HWY_ONCE
