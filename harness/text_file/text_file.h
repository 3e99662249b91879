// A text file that a user named, read whole: a policy, a report. Never waits, and never reads more
// than such a file may have, whatever is behind the name. Knows nothing of what the text says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace parity::text_file {

/// What is to be read.
struct Kind {
  std::string_view name;       ///< "policy"
  std::uint64_t most_bytes;    ///< the largest that there is
  std::string_view most_text;  ///< the same for a person: "1 MiB"
  std::string_view advice;     ///< what to name instead: "name a report that --json wrote"
};

/// The bytes of `file`, following links. Throws Error(usage), in one sentence with the name and the
/// advice, when it is not there, may not be read, is a folder, a device, a pipe or a socket, or has
/// more than `kind.most_bytes`, also when it grows while it is read.
[[nodiscard]] std::string read(const std::filesystem::path& file, const Kind& kind);

}  // namespace parity::text_file
