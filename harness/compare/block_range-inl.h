// Per-target SIMD code: what the encoding of a block finds out about its values on the way.
// Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_BLOCK_RANGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_BLOCK_RANGE_INL_H_
#undef PARITY_COMPARE_BLOCK_RANGE_INL_H_
#else
#define PARITY_COMPARE_BLOCK_RANGE_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/block_codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What the encoding of a block found out about its values.
struct BlockRange {
  std::uint32_t lowest_less_one;  ///< smallest non-zero magnitude less one, as float32 bits
  std::uint32_t highest;          ///< largest magnitude, as float32 bits
  std::uint32_t max_ulp;
  std::uint32_t unusual;
  std::uint64_t zero_sign;
  float max_absolute;  ///< rounded to float32
  bool may_be_record;  ///< some relative error may pass the largest so far
};

struct RangeVectors {
  UintVector lowest;
  UintVector highest;
  UintVector max_ulp;
  UintVector unusual;
  UintVector zero_sign;
  UintVector max_size;
  FloatVector record;
};

HWY_INLINE RangeVectors empty_range() {
  const UintVector zero = hn::Zero(UintTag());
  return {hn::Set(UintTag(), ~0U), zero, zero, zero, zero, zero, hn::Zero(FloatTag())};
}

HWY_INLINE BlockRange reduce_range(const RangeVectors& range) {
  const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  const auto add = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  return {reduce(range.lowest, min),      reduce(range.highest, max),
          reduce(range.max_ulp, max),     reduce(range.unusual, max),
          reduce(range.zero_sign, add),   largest_float(hn::BitCast(FloatTag(), range.max_size)),
          largest_float(range.record) > 0};
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_BLOCK_RANGE_INL_H_
