// A text file that appears whole or not at all: written beside its name and renamed into place.
// Knows no format.
#pragma once

#include <filesystem>
#include <string_view>

namespace parity::pipeline {

/// Replaces the file at `path`, following a link to one. Leaves nothing else behind when it fails
/// or when a signal ends the program. Throws Error(store) or Error(resource).
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// The file that this writes: behind a link what the link names, be it there or not.
[[nodiscard]] std::filesystem::path written_path(const std::filesystem::path& path);

}  // namespace parity::pipeline
