// Per-target vector sizes: at most `limit` lanes, one on the scalar target (Highway 0.16 does not
// cap that one itself). Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_TAGS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_TAGS_INL_H_
#undef PARITY_COMPARE_TAGS_INL_H_
#else
#define PARITY_COMPARE_TAGS_INL_H_
#endif

#include <cstddef>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <typename T, std::size_t limit>
using TagUpTo = hn::FixedTag<T, 1>;
#else
template <typename T, std::size_t limit>
using TagUpTo = hn::CappedTag<T, limit>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_TAGS_INL_H_
