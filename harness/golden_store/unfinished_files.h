// Temporary files that must not outlive their program: removed when a signal ends it, and found by
// the next one where nothing could run any more (SIGKILL, a crash, a machine that lost power).
// Knows their names, not what is in them.
#pragma once

#include <filesystem>
#include <optional>

#include "golden_store/descriptor.h"

namespace parity::golden_store {

/// The folder that a file is in; "." for a bare name.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

/// A file beside a final one, and its name.
struct NewFile {
  std::filesystem::path path;
  Descriptor descriptor;
};

/// Creates `.<name>.tmp.<pid>.<n>` in the folder of `final_path`, locked for as long as it is open,
/// after removing what dead programs left there for the same name: a file whose process is gone
/// from this machine and which nobody holds locked. Names of living ones are passed over.
/// The descriptor is closed, and errno set, when no file can be created.
[[nodiscard]] NewFile create_unfinished(const std::filesystem::path& final_path);

/// While one lives, every signal that ends the program (SIGKILL aside, and a crash that leaves no
/// stack to run on) removes its file first; the exit status stays that of the signal. A signal that
/// the program ignores or handles itself when the first of these objects is made is left alone. At
/// most 16 at a time are removed so; further ones are left to create_unfinished.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::filesystem::path& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

 private:
  std::optional<std::size_t> slot_;
};

}  // namespace parity::golden_store
