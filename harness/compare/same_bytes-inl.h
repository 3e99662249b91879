// Per-target SIMD code: whether both sides of a block are the same bits. Included once per target;
// see Highway's foreach_target.
#if defined(PARITY_COMPARE_SAME_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_SAME_BYTES_INL_H_
#undef PARITY_COMPARE_SAME_BYTES_INL_H_
#else
#define PARITY_COMPARE_SAME_BYTES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/fused_kernel.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE bool same_bytes(const void* left, const void* right, std::size_t size_bytes) {
  const TagUpTo<std::uint8_t, kBlockGranule> d;
  const auto* a = static_cast<const std::uint8_t*>(left);
  const auto* b = static_cast<const std::uint8_t*>(right);
  for (std::size_t i = 0; i < size_bytes; i += hn::Lanes(d)) {
    if (!hn::AllTrue(d, hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i)))) return false;
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_SAME_BYTES_INL_H_
