// A file under a temporary name beside its final one: discarded unless published. Knows no format.
// Nobody ever sees a half-written file under the final name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "golden_store/descriptor.h"
#include "golden_store/unfinished_files.h"

namespace parity::golden_store {

/// The file that a link names in the end, be it there or not; `path` itself where it is no link.
[[nodiscard]] std::filesystem::path linked_path(const std::filesystem::path& path);

/// Creates `.<name>.tmp.<pid>.<n>` in the folder of `path`; removes it on destruction unless
/// publish() succeeded, or when a signal ends the program first (see unfinished_files.h). Errors
/// are Error(store), or Error(resource) when the disk is full or fails.
class TemporaryFile {
 public:
  /// Refuses a `path` that is a folder, a device or in a folder that cannot be written. Follows a
  /// link, also one to a file that is yet to be made.
  explicit TemporaryFile(const std::filesystem::path& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const Descriptor& descriptor() const { return file_; }
  [[nodiscard]] std::uint64_t size_bytes() const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Lets the disk start on what was written, so that it works while the caller reads the file
  /// again.
  void start_sync();
  /// Syncs the file, renames it into place and asks for the folder to be synced, too; that this
  /// last step fails is no error, since the file is there by then.
  void publish();
  /// Frees its disk space and its name at once, also while HDF5 still holds it open.
  void discard() noexcept;

  /// Throws the error for an `action` ("write") that failed with the errno `error`.
  [[noreturn]] void throw_failed(const std::string& action, int error) const;

 private:
  std::filesystem::path final_;
  std::filesystem::path temporary_;
  Descriptor file_;
  std::optional<RemovedOnSignal> removed_on_signal_;
  enum class Stage { open, published, discarded } stage_ = Stage::open;
};

}  // namespace parity::golden_store
