// The command as it was typed, so that a report says how to make it again. Quotes for a shell what
// a shell would take apart; knows no flag.
#pragma once

#include <string>

namespace parity::cli {

/// Arguments joined by blanks, quoted for a POSIX shell where they need it. The program is called
/// `parity`.
[[nodiscard]] std::string quoted_command(int argc, const char* const* argv);

}  // namespace parity::cli
