// A name map as a TOML file: see docs/name-map.md.
// Knows no tap: what the rules match is found later.
#pragma once

#include <filesystem>
#include <string>

#include "name_map/name_map.h"

namespace parity::name_map {

/// Throws Error(usage), one sentence with file and line, for what is no map or cannot mean what it
/// says: a regular expression that is none, a `$3` behind two groups, an unknown key.
[[nodiscard]] NameMap parse_name_map(const std::string& text, const std::string& file);

/// The same of a file.
[[nodiscard]] NameMap read_name_map(const std::filesystem::path& file);

}  // namespace parity::name_map
