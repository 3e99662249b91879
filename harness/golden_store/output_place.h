// Where a golden may be written: over an older one, and beside the files that it links to.
// Creates nothing.
#pragma once

#include <filesystem>

namespace parity::golden_store {

/// `path`. Throws Error(usage) for a file that is neither empty nor begins as a golden: replacing a
/// golden is what a recording is for, replacing anything else is a mistyped name.
[[nodiscard]] std::filesystem::path refusing_other_files(std::filesystem::path path);

/// Whether both are in the same folder, a link in the place of `golden` followed, and `file` there
/// itself, not as a link to one elsewhere, which would stay behind when the folder is moved.
[[nodiscard]] bool is_beside(const std::filesystem::path& file,
                             const std::filesystem::path& golden);

}  // namespace parity::golden_store
