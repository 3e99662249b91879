// Short marks of files and folders by what is in them: equal marks mean the same build. Made to be
// cheap on libraries of gigabytes, and against accidents, not forgery.
#pragma once

#include <filesystem>
#include <string>

namespace parity::host {

/// "build-id 3f947abf607f5961, 54177976 bytes": the first 16 digits of the linker's build id where
/// the file is a library that has one. Else "xxh3 ...": over all bytes of up to 64 MiB, beyond that
/// over 64 KiB of each MiB and the last 64 KiB, which is then called "xxh3-sampled". "unreadable"
/// for a file that cannot be read.
[[nodiscard]] std::string file_mark(const std::filesystem::path& file);

/// "412 files, 812345678 bytes, xxh3 ...": over names below the folder, sizes, and the first and
/// last 16 KiB of each file. Files whose name has an architecture ("gfx90a") count where it is
/// `arch`. "" where there is no file that counts.
[[nodiscard]] std::string folder_mark(const std::filesystem::path& folder, const std::string& arch);

}  // namespace parity::host
