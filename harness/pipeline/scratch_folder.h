// A place for a golden that is needed only while a command runs.
#pragma once

#include <filesystem>

namespace parity::pipeline {

/// A new folder under the system's temporary folder (TMPDIR), gone with the object.
class ScratchFolder {
 public:
  /// Throws Error(resource) when there is no such place.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Removes what is in it, and it: files that are open stay readable.
  void remove() noexcept;

 private:
  std::filesystem::path path_;
};

}  // namespace parity::pipeline
