#include "golden_store/zstd_filter.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include <zstd.h>

#include "golden_store/hdf5_guard.h"
#include "golden_store/packing.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

/// Memory that the library may free; nullptr where there is none or what it should hold is no
/// piece.
void* unpacked(std::span<const std::byte> from, std::size_t& size) {
  const unsigned long long content = ZSTD_getFrameContentSize(from.data(), from.size());
  if (content == 0 || content > kMaxChunkBytes) return nullptr;  // unknown and error are larger
  size = static_cast<std::size_t>(content);
  auto* const to = static_cast<std::byte*>(H5allocate_memory(size, false));
  if (to == nullptr || unpack(from, run::Packer::zstd, {to, size})) return to;
  H5free_memory(to);
  return nullptr;
}

void* packed_copy(std::span<const std::byte> from, int level, std::size_t& size) {
  const std::vector<std::byte> bytes = packed(from, {run::Packer::zstd, level});
  size = bytes.size();
  void* const to = H5allocate_memory(size, false);
  if (to != nullptr) std::memcpy(to, bytes.data(), size);
  return to;
}

/// HDF5's way to call a filter: the new size, 0 for a failure; `buffer` is its to replace. No
/// exception may pass through the C library.
std::size_t run_filter(unsigned flags, std::size_t value_count, const unsigned* values,
                       std::size_t size_bytes, std::size_t* buffer_bytes, void** buffer) {
  const std::span<const std::byte> from(static_cast<const std::byte*>(*buffer), size_bytes);
  std::size_t size = 0;
  void* to = nullptr;
  try {
    const int level = value_count > 0 ? static_cast<int>(values[0]) : ZSTD_CLEVEL_DEFAULT;
    const bool reads = (flags & H5Z_FLAG_REVERSE) != 0;
    to = reads ? unpacked(from, size) : packed_copy(from, level, size);
  } catch (...) {
    return 0;
  }
  if (to == nullptr) return 0;
  H5free_memory(*buffer);
  *buffer = to;
  *buffer_bytes = size;
  return size;
}

}  // namespace

void register_zstd_filter() {
  static const bool kKnown = [] {
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kZstdFilter, 1,       1,
                                 "zstd",           nullptr,     nullptr, run_filter};
    checked(H5Zregister(&filter), "H5Zregister");
    return true;
  }();
  static_cast<void>(kKnown);
}

}  // namespace parity::golden_store
