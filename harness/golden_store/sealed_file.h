// Whole-file checks of a golden that need no HDF5: its length and digest against the user block,
// and whether what follows can be something that our writer made. They run before the HDF5 library
// parses a byte.
#pragma once

#include <cstdint>
#include <filesystem>

#include <sys/stat.h>

#include "golden_store/descriptor.h"
#include "golden_store/user_block.h"
#include "tensor/digest.h"

namespace parity::golden_store {

/// XXH3-128 of `size_bytes` bytes of `file` from `offset`. Reads rather than maps, so that a file
/// that another process cuts short meanwhile gives an error and not a SIGBUS. Throws Malformed when
/// the file ends early.
[[nodiscard]] tensor::Digest digest_of_range(const Descriptor& file, std::uint64_t offset,
                                             std::uint64_t size_bytes);

/// A file that passed the checks.
class SealedFile {
 public:
  /// Throws Error(store) when it cannot be opened, Malformed when a check fails.
  explicit SealedFile(const std::filesystem::path& path);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// What the checks held the file against.
  [[nodiscard]] const UserBlock& seal() const { return seal_; }
  [[nodiscard]] const Descriptor& descriptor() const { return file_; }

 private:
  SealedFile(const std::filesystem::path& path, struct stat status);

  Descriptor file_;
  std::uint64_t size_bytes_ = 0;
  UserBlock seal_;
};

}  // namespace parity::golden_store
