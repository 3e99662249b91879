// Per-target SIMD code: the bytes of the next block are asked for while this one is worked on in
// the cache, which would leave the memory idle. Included once per target; see Highway's
// foreach_target.
#if defined(PARITY_COMPARE_UPCOMING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_UPCOMING_INL_H_
#undef PARITY_COMPARE_UPCOMING_INL_H_
#else
#define PARITY_COMPARE_UPCOMING_INL_H_
#endif

#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

/// Where the next block lies. Past the end of a tensor nothing is loaded and nothing fails.
struct Upcoming {
  const std::byte* reference;
  const std::byte* candidate;
  std::size_t element_bytes;

  /// Asks for the cache lines of the `count` elements from `element` on; steps of less than a line
  /// ask for each line once.
  HWY_INLINE void ask_for(std::size_t element, std::size_t count) const {
    constexpr std::size_t kLineBytes = 64;
    const std::size_t first = element * element_bytes;
    if (first % kLineBytes != 0) return;
    for (std::size_t at = first; at < first + count * element_bytes; at += kLineBytes) {
      hwy::Prefetch(reference + at);
      hwy::Prefetch(candidate + at);
    }
  }
};

template <typename T>
HWY_INLINE Upcoming after(const T* reference, const T* candidate, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(reference + 2 * count),
          reinterpret_cast<const std::byte*>(candidate + 2 * count), sizeof(T)};
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_UPCOMING_INL_H_
