// Not a vector, which would fill it with zeros first. Not malloc either, but for small blocks:
// glibc maps large ones only until some were freed, and from then on takes blocks of up to 32 MiB
// from a heap, where facts that outlive their tap leave gaps, so that the peak grows with every
// tap.
#include "golden_store/tap_memory.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace parity::golden_store {
namespace {

constexpr std::size_t kMappedBytes = std::size_t{128} << 10U;  ///< as glibc begins
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
constexpr std::size_t kSlabBytes = 2 * kHugePageBytes;

std::byte* mapped(std::size_t size_bytes) {
  void* place =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(place);
}

/// In huge pages, because page faults cost more than the copy and the digest together.
std::shared_ptr<std::byte> in_huge_pages(std::size_t size_bytes) {
  const std::size_t kept_bytes =
      (size_bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  std::byte* const start = mapped(kept_bytes + kHugePageBytes);
  const std::size_t past_boundary = reinterpret_cast<std::uintptr_t>(start) % kHugePageBytes;
  const std::size_t before = past_boundary == 0 ? 0 : kHugePageBytes - past_boundary;
  if (before > 0) ::munmap(start, before);
  if (before < kHugePageBytes) ::munmap(start + before + kept_bytes, kHugePageBytes - before);
  static_cast<void>(::madvise(start + before, kept_bytes, MADV_HUGEPAGE));
  return {start + before, [kept_bytes](std::byte* place) { ::munmap(place, kept_bytes); }};
}

/// What smaller blocks lie in, one each, whose untouched pages take no memory. A tap of either side
/// leaves its slab to the next one, whose pages are there already.
std::array<std::atomic<std::byte*>, 2> free_slabs{};

void free_slab(std::byte* slab) {
  for (std::atomic<std::byte*>& place : free_slabs) {
    std::byte* none = nullptr;
    if (place.compare_exchange_strong(none, slab)) return;
  }
  ::munmap(slab, kSlabBytes);
}

std::shared_ptr<std::byte> in_a_slab() {
  for (std::atomic<std::byte*>& place : free_slabs) {
    if (std::byte* slab = place.exchange(nullptr)) return {slab, &free_slab};
  }
  return {mapped(kSlabBytes), &free_slab};
}

}  // namespace

std::shared_ptr<std::byte> uninitialised(std::size_t size_bytes) {
#if defined(__SANITIZE_ADDRESS__)
  // Which sees nothing of what is not from its own heap.
  return {new std::byte[size_bytes], std::default_delete<std::byte[]>()};
#endif
  if (size_bytes >= kSlabBytes) return in_huge_pages(size_bytes);
  if (size_bytes >= kMappedBytes) return in_a_slab();
  return {new std::byte[size_bytes], std::default_delete<std::byte[]>()};
}

}  // namespace parity::golden_store
