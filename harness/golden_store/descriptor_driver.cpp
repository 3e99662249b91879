#include "golden_store/descriptor_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // since 1.14
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "golden_store/hdf5_guard.h"
#include "golden_store/read_at.h"

namespace parity::golden_store {
namespace {

/// HDF5's part comes first: the library passes pointers to it.
struct OpenFile {
  H5FD_t base{};
  DriverTarget* target = nullptr;
  haddr_t end_of_allocation = 0;
};

OpenFile& opened(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& opened(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_target(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<DriverTarget* const*>(H5Pget_driver_info(access));
  if (target == nullptr) return nullptr;
  auto* file = new (std::nothrow) OpenFile();
  if (file == nullptr) return nullptr;
  file->target = *target;
  return &file->base;
}

herr_t close_target(H5FD_t* file) {
  delete &opened(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t) { return opened(file).end_of_allocation; }

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  opened(file).end_of_allocation = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return opened(file).target->size_bytes(); }

herr_t read_target(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   void* buffer) {
  return opened(file).target->read(address, {static_cast<std::byte*>(buffer), size}) == 0 ? 0 : -1;
}

herr_t write_target(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size,
                    const void* buffer) {
  try {
    opened(file).target->write(address, {static_cast<const std::byte*>(buffer), size},
                               type != H5FD_MEM_DRAW);
  } catch (const std::bad_alloc&) {
    return 0;  // the file has failed already; see DriverTarget::write
  }
  return 0;
}

herr_t truncate_target(H5FD_t* file, hid_t, hbool_t) {
  OpenFile& target = opened(file);
  if (target.target->size_bytes() != target.end_of_allocation)
    target.target->resize(target.end_of_allocation);
  return 0;
}

hid_t register_driver() {
  static H5FD_class_t kDriver{};  // the library keeps a pointer to it
#if H5_VERSION_GE(1, 13, 0)
  kDriver.version = H5FD_CLASS_VERSION;
  kDriver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
  kDriver.name = "parity";
  kDriver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  kDriver.fc_degree = H5F_CLOSE_STRONG;
  kDriver.fapl_size = sizeof(DriverTarget*);
  kDriver.open = open_target;
  kDriver.close = close_target;
  kDriver.query = query;
  kDriver.get_eoa = end_of_allocation;
  kDriver.set_eoa = set_end_of_allocation;
  kDriver.get_eof = end_of_file;
  kDriver.read = read_target;
  kDriver.write = write_target;
  kDriver.truncate = truncate_target;
  static constexpr H5FD_mem_t kOneFreeListPerKind[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kOneFreeListPerKind), std::end(kOneFreeListPerKind),
            std::begin(kDriver.fl_map));
  return checked(H5FDregister(&kDriver), "H5FDregister");
}

}  // namespace

H5::FileAccPropList DriverTarget::access_properties() {
  static const hid_t kDriver = register_driver();
  H5::FileAccPropList properties;
  const DriverTarget* const info = this;
  checked(H5Pset_driver(properties.getId(), kDriver, static_cast<const void*>(&info)),
          "H5Pset_driver");
  // What a killed writer leaves does not open, all metadata carries checksums, and locks fail or
  // hang on read-only and network file systems while a golden never changes once it has its name.
  properties.setLibverBounds(H5F_LIBVER_V110, H5F_LIBVER_V110);
  checked(H5Pset_file_locking(properties.getId(), false, true), "H5Pset_file_locking");
  properties.setFcloseDegree(H5F_CLOSE_STRONG);
  return properties;
}

void DriverTarget::stop_writing(int reason) {
  if (!failure_) failure_ = reason;
}

int DriverTarget::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  const ReadEnd read = read_at(descriptor_, offset, buffer);
  if (read.error != 0) return read.error;
  // HDF5 reads past the end of what it has allocated but not written yet, and expects zeros there.
  std::fill(buffer.begin() + static_cast<std::ptrdiff_t>(read.bytes), buffer.end(), std::byte{0});
  for (const Kept& kept : kept_) {
    const std::uint64_t begin = std::max(offset, kept.offset);
    const std::uint64_t end = std::min(offset + buffer.size(), kept.offset + kept.bytes.size());
    if (begin < end)
      std::memcpy(buffer.data() + (begin - offset), kept.bytes.data() + (begin - kept.offset),
                  end - begin);
  }
  return 0;
}

void DriverTarget::write(std::uint64_t offset, std::span<const std::byte> bytes, bool is_metadata) {
  std::span<const std::byte> left = bytes;
  std::uint64_t at = offset;
  while (!failure_ && !left.empty()) {
    const ssize_t count = ::pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failure_ = count == 0 ? ENOSPC : errno;
    } else {
      left = left.subspan(static_cast<std::size_t>(count));
      at += static_cast<std::uint64_t>(count);
    }
  }
  if (!failure_ && !is_metadata) start_sync_behind(at);
  if (failure_ && is_metadata) kept_.push_back({offset, {bytes.begin(), bytes.end()}});
}

/// The disk begins while the recording goes on, and not when the file is whole.
void DriverTarget::start_sync_behind(std::uint64_t end) {
  constexpr std::uint64_t kEveryBytes = std::uint64_t{32} << 20U;
  if (end < sync_started_ + kEveryBytes) return;
  // Only a hint: whatever it cannot do, fsync() does.
  static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(sync_started_),
                                      static_cast<off_t>(end - sync_started_),
                                      SYNC_FILE_RANGE_WRITE));
  sync_started_ = end;
}

void DriverTarget::resize(std::uint64_t size_bytes) {
  if (!failure_ && ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0) failure_ = errno;
}

std::uint64_t DriverTarget::size_bytes() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace parity::golden_store
