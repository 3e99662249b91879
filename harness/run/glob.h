// Globs over layer paths and tap names. Knows no tap but the one it is asked about.
// A glob that cannot match anything is found by whoever counts its matches.
#pragma once

#include <string>

#include "run/tap.h"

namespace parity::run {

/// `*` matches any run of characters without '.', '/', `**` any run, `?` one character, `[a-z]` a
/// set.
[[nodiscard]] bool glob_matches(const std::string& glob, const std::string& text);

/// What is wrong with a glob that is not what it looks like: "has a '[' that no ']' closes", "has
/// the range z-a, which runs backwards and holds nothing"; empty where nothing is.
[[nodiscard]] std::string glob_fault(const std::string& glob);

/// Whether it matches the tap's layer path or its full name.
[[nodiscard]] bool names_tap(const std::string& glob, const TapId& id);

}  // namespace parity::run
