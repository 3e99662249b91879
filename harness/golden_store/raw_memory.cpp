#include "golden_store/raw_memory.h"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace parity::golden_store {

std::shared_ptr<std::byte> uninitialised(std::size_t size_bytes) {
  constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
  if (size_bytes < 2 * kHugePageBytes) {
    return {new std::byte[size_bytes], std::default_delete<std::byte[]>()};
  }
  const std::size_t whole_pages =
      (size_bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  void* memory = std::aligned_alloc(kHugePageBytes, whole_pages);
  if (memory == nullptr) throw std::bad_alloc();
  static_cast<void>(::madvise(memory, whole_pages, MADV_HUGEPAGE));
  return {static_cast<std::byte*>(memory), [](std::byte* place) { std::free(place); }};
}

}  // namespace parity::golden_store
