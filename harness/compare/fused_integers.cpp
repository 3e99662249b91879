// Kernels for integers of 16, 32 and 64 bits: sums in float64 lanes, distances from exact integers,
// one place in a table per pair.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/fused_integers.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/fused_integers.h"

#include <bit>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/float_format.h"
#include "compare/fused_kernel.h"
#include "compare/integer_lanes-inl.h"
#include "compare/lane_sums-inl.h"
#include "compare/same_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// Places of the pairs among the counters, see IntegerCounts. floor(log2) of a quotient is the
/// difference of two patterns' exponents, less one where the first mantissa is smaller.
template <typename T>
HWY_INLINE LongVector places_of(const IntegerPairs& pairs, hn::Mask<DoubleTag> zero_reference) {
  const DoubleTag d;
  const LongTag du;
  constexpr int kRelativeBits = 7;
  constexpr std::uint64_t kFirstBin = std::uint64_t{1023 - 2} << kRelativeBits;
  static_assert(kIntegerRelatives == std::size_t{1} << kRelativeBits);
  const LongVector bias = hn::Set(du, std::uint64_t{kIntegerRelativeBias} << 52U);
  const DoubleVector r_size = hn::Abs(pairs.reference);
  DoubleVector size = pairs.size;
  if constexpr (sizeof(T) == sizeof(double)) {
    constexpr double kTop =
        power_of_two(static_cast<int>(kIntegerRelativeTop) - kIntegerRelativeBias);
    size = hn::Min(size, hn::Mul(r_size, hn::Set(d, kTop)));
  }
  const LongVector apart = hn::Sub(hn::BitCast(du, size), hn::BitCast(du, r_size));
  LongVector relative = hn::ShiftRight<52>(hn::Add(apart, bias));
  const LongVector none = hn::Set(du, std::uint64_t{kIntegerRelativeNone});
  relative = hn::IfThenElse(hn::RebindMask(du, zero_reference), none, relative);
  const LongVector exponent = hn::ShiftRight<52>(hn::BitCast(du, pairs.at_least));
  const LongVector bin = hn::Sub(hn::ShiftLeft<kRelativeBits>(exponent), hn::Set(du, kFirstBin));
  const auto equal = hn::RebindMask(du, hn::Eq(pairs.size, hn::Zero(d)));
  return hn::IfThenZeroElse(equal, hn::Add(bin, relative));
}

/// Largest abs(c-r)/abs(r) of a block over non-zero references.
template <typename T>
HWY_INLINE double max_relative_of_integers(const T* reference, const T* candidate,
                                           std::size_t count) {
  const DoubleTag d;
  const DoubleVector zero = hn::Zero(d);
  DoubleVector top = zero;
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const IntegerPairs pairs = load_pairs(reference + i, candidate + i);
    const DoubleVector relative = hn::Div(pairs.size, hn::Abs(pairs.reference));
    top = hn::Max(top, hn::IfThenElse(hn::Eq(pairs.reference, zero), zero, relative));
  }
  alignas(64) double lanes[kVectorLanes];
  hn::Store(top, d, lanes);
  double result = 0;
  for (const double lane : lanes) result = lane > result ? lane : result;
  return result;
}

HWY_INLINE std::uint64_t largest(LongVector vector) {
  alignas(64) std::uint64_t lanes[kVectorLanes];
  hn::Store(vector, LongTag(), lanes);
  std::uint64_t result = 0;
  for (const std::uint64_t lane : lanes) result = lane > result ? lane : result;
  return result;
}

struct IntegerBlock {
  std::uint64_t max_ulp;
  double max_absolute;
  bool may_be_record;  ///< some relative error may pass the largest so far
};

/// Adds a block to all sums and fills in the places of its pairs.
template <typename T>
HWY_INLINE IntegerBlock measure(const T* reference, const T* candidate, std::size_t count,
                                FusedChunk& chunk, std::uint64_t* places) {
  const DoubleTag d;
  // The product is off by less than the margin.
  const DoubleVector limit = hn::Set(d, chunk.record.largest * (1 - 0x1p-50));
  DoubleVector max_size = hn::Zero(d);
  DoubleVector excess = hn::Zero(d);
  LongVector max_ulp = hn::Zero(LongTag());
  Lanes rr = load_lanes(chunk.reference_squared);
  Lanes cc = load_lanes(chunk.candidate_squared);
  Lanes rc = load_lanes(chunk.product);
  Lanes dd = load_lanes(chunk.difference_squared);
  Lanes sum = load_lanes(chunk.difference);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = i + v * kVectorLanes;
      const IntegerPairs pairs = load_pairs(reference + at, candidate + at);
      const auto zero_reference = hn::Eq(pairs.reference, hn::Zero(d));
      const DoubleVector over = hn::Sub(pairs.size, hn::Mul(hn::Abs(pairs.reference), limit));
      excess = hn::Max(excess, hn::IfThenZeroElse(zero_reference, over));
      max_size = hn::Max(max_size, pairs.size);
      if constexpr (sizeof(T) == sizeof(double)) max_ulp = hn::Max(max_ulp, pairs.ulp);
      hn::Store(places_of<T>(pairs, zero_reference), LongTag(), places + at);
      const DoubleVector r = pairs.reference;
      const DoubleVector c = pairs.candidate;
      rr.at[v] = hn::Add(rr.at[v], hn::Mul(r, r));
      cc.at[v] = hn::Add(cc.at[v], hn::Mul(c, c));
      rc.at[v] = hn::Add(rc.at[v], hn::Mul(r, c));
      dd.at[v] = hn::Add(dd.at[v], hn::Mul(pairs.difference, pairs.difference));
      sum.at[v] = hn::Add(sum.at[v], pairs.difference);
    }
  }
  store_lanes(rr, chunk.reference_squared);
  store_lanes(cc, chunk.candidate_squared);
  store_lanes(rc, chunk.product);
  store_lanes(dd, chunk.difference_squared);
  store_lanes(sum, chunk.difference);
  // Patterns of non-negative float64 are in the order of values.
  const auto max_absolute = std::bit_cast<double>(largest(hn::BitCast(LongTag(), max_size)));
  const bool may_be_record = largest(hn::BitCast(LongTag(), excess)) != 0;
  if constexpr (sizeof(T) == sizeof(double)) return {largest(max_ulp), max_absolute, may_be_record};
  return {static_cast<std::uint64_t>(max_absolute), max_absolute, may_be_record};
}

template <typename T>
BlockResult fuse(const T* reference, const T* candidate, std::size_t count, FusedChunk& chunk,
                 IntegerCounts& counts) {
  chunk.elements += count;
  if (same_bytes(reference, candidate, count * sizeof(T))) {
    add_identical(reference, count, chunk, [](const T* from) { return load_integers(from); });
    chunk.ulp_codes[kUlpCodeZero] += count;
    return {BlockOutcome::fused, 0};
  }
  alignas(64) std::uint64_t places[kBlockElements];
  const IntegerBlock block = measure(reference, candidate, count, chunk, places);
  counts.add({places, count});
  if (block.may_be_record) {
    const double found = max_relative_of_integers(reference, candidate, count);
    chunk.record.largest = found > chunk.record.largest ? found : chunk.record.largest;
  }
  chunk.max_ulp = block.max_ulp > chunk.max_ulp ? block.max_ulp : chunk.max_ulp;
  chunk.max_absolute =
      block.max_absolute > chunk.max_absolute ? block.max_absolute : chunk.max_absolute;
  return {BlockOutcome::fused, block.max_ulp};
}

#define PARITY_INTEGER_KERNEL(NAME, TYPE)                                           \
  BlockResult NAME(const TYPE* reference, const TYPE* candidate, std::size_t count, \
                   FusedChunk& chunk, IntegerCounts& counts) {                      \
    return fuse(reference, candidate, count, chunk, counts);                        \
  }
PARITY_INTEGER_KERNEL(FuseInt16, std::int16_t)
PARITY_INTEGER_KERNEL(FuseUint16, std::uint16_t)
PARITY_INTEGER_KERNEL(FuseInt32, std::int32_t)
PARITY_INTEGER_KERNEL(FuseUint32, std::uint32_t)
PARITY_INTEGER_KERNEL(FuseInt64, std::int64_t)
PARITY_INTEGER_KERNEL(FuseUint64, std::uint64_t)
#undef PARITY_INTEGER_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

#define PARITY_INTEGER_KERNEL(NAME, TYPE)                                                          \
  HWY_EXPORT(NAME);                                                                                \
  BlockResult fuse_integers(std::span<const TYPE> reference, std::span<const TYPE> candidate,      \
                            FusedChunk& chunk, IntegerCounts& counts) {                            \
    return HWY_DYNAMIC_DISPATCH(NAME)(reference.data(), candidate.data(), reference.size(), chunk, \
                                      counts);                                                     \
  }
PARITY_INTEGER_KERNEL(FuseInt16, std::int16_t)
PARITY_INTEGER_KERNEL(FuseUint16, std::uint16_t)
PARITY_INTEGER_KERNEL(FuseInt32, std::int32_t)
PARITY_INTEGER_KERNEL(FuseUint32, std::uint32_t)
PARITY_INTEGER_KERNEL(FuseInt64, std::int64_t)
PARITY_INTEGER_KERNEL(FuseUint64, std::uint64_t)
#undef PARITY_INTEGER_KERNEL

}  // namespace parity::compare
#endif  // HWY_ONCE
