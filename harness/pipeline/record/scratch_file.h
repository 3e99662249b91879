// A place for a golden that is needed only while a command runs, under a name that nobody else has.
// Knows nothing of what is written there.
#pragma once

#include <filesystem>
#include <optional>

#include "golden_store/unfinished_files.h"

namespace parity::pipeline {

/// An empty file of its own in the system's temporary folder (TMPDIR), gone with the object, and by
/// any signal that can be caught.
class ScratchFile {
 public:
  /// Throws Error(resource) when there is no such place.
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Gone at once; whoever has it open goes on reading.
  void remove() noexcept;

 private:
  std::filesystem::path path_;
  std::optional<golden_store::RemovedOnSignal> on_signal_;
};

}  // namespace parity::pipeline
