// An HDF5 file driver over a descriptor that is already open. It exists for two reasons. HDF5 1.10
// crashes when it closes a file after a failed write, even at exit; so this driver never tells it
// of one: it remembers the failure, keeps what follows in memory, and the owner asks failure()
// after every call. And a reader parses the very file that it has checked, without a lock and
// without a second look at its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <H5Cpp.h>

#include "golden_store/descriptor.h"

namespace parity::golden_store {

/// What HDF5 reads and writes through the driver. Has to outlive every HDF5 object of the file.
class DriverTarget {
 public:
  explicit DriverTarget(const Descriptor& file) : descriptor_(file.number()) {}
  DriverTarget(const DriverTarget&) = delete;
  DriverTarget& operator=(const DriverTarget&) = delete;

  /// Access properties that make H5File use this target; the file name it is given is for messages
  /// only.
  [[nodiscard]] H5::FileAccPropList access_properties();
  /// errno of the first write that failed; HDF5 saw it succeed.
  [[nodiscard]] std::optional<int> failure() const { return failure_; }
  /// From now on nothing reaches the file, so that HDF5 can close what is given up.
  void stop_writing(int reason);

  // What the driver calls; they report an errno.
  [[nodiscard]] int read(std::uint64_t offset, std::span<std::byte> buffer) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes, bool is_metadata);
  void resize(std::uint64_t size_bytes);
  [[nodiscard]] std::uint64_t size_bytes() const;

 private:
  /// Metadata that came after the failure: the library may read it again before it is done.
  struct Kept {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };

  void start_sync_behind(std::uint64_t end);

  int descriptor_;
  std::uint64_t sync_started_ = 0;  ///< up to here, values have been handed to the disk
  std::optional<int> failure_;
  std::vector<Kept> kept_;
};

}  // namespace parity::golden_store
