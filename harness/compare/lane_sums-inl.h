// Per-target SIMD code: float64 sums of one block in eight fixed lanes. No FMA: not every target
// has one. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_LANE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_LANE_SUMS_INL_H_
#undef PARITY_COMPARE_LANE_SUMS_INL_H_
#else
#define PARITY_COMPARE_LANE_SUMS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Bytes that the next block will read. Asked for while this block is summed: the sums work in the
/// cache and would leave the memory idle. Past the end of a tensor nothing is loaded and nothing
/// fails.
struct Upcoming {
  const std::byte* reference;
  const std::byte* candidate;
  std::size_t element_bytes;

  HWY_INLINE void ask_for(std::size_t element) const {
    hwy::Prefetch(reference + element * element_bytes);
    hwy::Prefetch(candidate + element * element_bytes);
  }
};

template <typename T>
HWY_INLINE Upcoming after(const T* reference, const T* candidate, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(reference + count),
          reinterpret_cast<const std::byte*>(candidate + count), sizeof(T)};
}

/// Sums of a block whose two sides are the same bits: three equal products, added once, and no
/// difference.
template <typename T>
HWY_INLINE void add_identical(const T* values, std::size_t count, const Upcoming& next,
                              FusedChunk& chunk) {
  Lanes shared = load_lanes(chunk.shared_squared);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    next.ask_for(i);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector value = load_wide(values + i + v * kVectorLanes);
      shared.at[v] = hn::Add(shared.at[v], hn::Mul(value, value));
    }
  }
  store_lanes(shared, chunk.shared_squared);
}

/// Sums of a block of close pairs from r and c-r: c*c = r*r + 2 r (c-r) + (c-r)^2 and r*c = r*r + r
/// (c-r) lose nothing where c is at least half of r, and cost fewer instructions.
HWY_INLINE void add_near_sums(const float* reference, const float* difference, std::size_t count,
                              const Upcoming& next, FusedChunk& chunk) {
  Lanes rr = load_lanes(chunk.shared_squared);
  Lanes rd = load_lanes(chunk.near_cross);
  Lanes dd = load_lanes(chunk.near_difference_squared);
  Lanes sum = load_lanes(chunk.difference);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    next.ask_for(i);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector d = load_wide(difference + i + v * kVectorLanes);
      rr.at[v] = hn::Add(rr.at[v], hn::Mul(r, r));
      rd.at[v] = hn::Add(rd.at[v], hn::Mul(r, d));
      dd.at[v] = hn::Add(dd.at[v], hn::Mul(d, d));
      sum.at[v] = hn::Add(sum.at[v], d);
    }
  }
  store_lanes(rr, chunk.shared_squared);
  store_lanes(rd, chunk.near_cross);
  store_lanes(dd, chunk.near_difference_squared);
  store_lanes(sum, chunk.difference);
}

/// Adds a block of any pairs to all sums.
template <typename T>
HWY_INLINE void add_sums(const T* reference, const T* candidate, std::size_t count,
                         const Upcoming& next, FusedChunk& chunk) {
  Lanes rr = load_lanes(chunk.reference_squared);
  Lanes cc = load_lanes(chunk.candidate_squared);
  Lanes rc = load_lanes(chunk.product);
  Lanes dd = load_lanes(chunk.difference_squared);
  Lanes sum = load_lanes(chunk.difference);
  for (std::size_t i = 0; i < count; i += kSumLanes) {
    next.ask_for(i);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const DoubleVector r = load_wide(reference + i + v * kVectorLanes);
      const DoubleVector c = load_wide(candidate + i + v * kVectorLanes);
      const DoubleVector difference = hn::Sub(c, r);
      rr.at[v] = hn::Add(rr.at[v], hn::Mul(r, r));
      cc.at[v] = hn::Add(cc.at[v], hn::Mul(c, c));
      rc.at[v] = hn::Add(rc.at[v], hn::Mul(r, c));
      dd.at[v] = hn::Add(dd.at[v], hn::Mul(difference, difference));
      sum.at[v] = hn::Add(sum.at[v], difference);
    }
  }
  store_lanes(rr, chunk.reference_squared);
  store_lanes(cc, chunk.candidate_squared);
  store_lanes(rc, chunk.product);
  store_lanes(dd, chunk.difference_squared);
  store_lanes(sum, chunk.difference);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_LANE_SUMS_INL_H_
