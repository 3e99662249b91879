// Per-target SIMD code: the byte codes that a block is encoded to, and the relative error to beat.
// Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_BLOCK_CODES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_BLOCK_CODES_INL_H_
#undef PARITY_COMPARE_BLOCK_CODES_INL_H_
#else
#define PARITY_COMPARE_BLOCK_CODES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/float_lanes-inl.h"
#include "compare/fused_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct BlockCodes {
  alignas(64) std::uint8_t ulp[kBlockElements];
  alignas(64) std::uint8_t relative[kBlockElements];
};

/// The record to beat as factors: abs(c-r) * difference_factor > abs(r) * reference_factor.
struct RecordVectors {
  FloatVector difference_factor;
  FloatVector reference_factor;
};

HWY_INLINE RecordVectors record_vectors(const RelativeRecord& record) {
  return {hn::Set(FloatTag(), record.difference_factor),
          hn::Set(FloatTag(), record.reference_factor)};
}

template <typename Combine>
HWY_INLINE std::uint32_t reduce(UintVector vector, Combine combine) {
  alignas(64) std::uint32_t lanes[16];
  hn::Store(vector, UintTag(), lanes);
  std::uint32_t result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(UintTag()); ++i) result = combine(result, lanes[i]);
  return result;
}

HWY_INLINE float largest_float(FloatVector vector) {
  alignas(64) float lanes[16];
  hn::Store(vector, FloatTag(), lanes);
  float result = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(FloatTag()); ++i)
    result = lanes[i] > result ? lanes[i] : result;
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_BLOCK_CODES_INL_H_
