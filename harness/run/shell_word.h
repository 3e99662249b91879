// Words of commands that a person is to paste into a shell. Knows the rules of a POSIX shell, and
// no command.
#pragma once

#include <string>
#include <string_view>

namespace parity::run {

/// The text as one word that a shell takes for exactly this text; quoted where it has to be. With
/// control characters it is of the form $'...', which POSIX has since 2024 and bash ever had.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The same of a path, which no program takes for an option: "-x" becomes "./-x".
[[nodiscard]] std::string shell_path(std::string_view path);

}  // namespace parity::run
