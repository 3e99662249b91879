// What the terminal can show, its width and colours, and the only place that writes results. Knows
// no command.
#pragma once

#include <cstdio>
#include <string>

#include "report/terminal/table.h"

namespace parity::cli {

/// Columns of the terminal on stdout; $COLUMNS, else 100, when it is none. Kept within 60 to 400.
[[nodiscard]] int output_width();

/// On for a terminal unless --no-color, NO_COLOR or TERM=dumb say otherwise.
[[nodiscard]] report::Color output_color(report::Color wanted);

/// Whether GitHub reads what is printed: GITHUB_ACTIONS=true, as in every job there.
[[nodiscard]] bool is_github_job();

/// Whether somebody watches stderr.
[[nodiscard]] bool stderr_is_terminal();

/// Writes to stdout. Throws Error(resource) when it cannot be written whole (a full disk behind a
/// redirection).
void print(const std::string& text);

/// One line to stderr.
void warn(const std::string& text);

/// Writes a whole file, "-" being stdout. Throws Error(resource) naming it; a half-written file is
/// removed, also when a signal ends the program.
void write_file(const std::string& path, const std::string& text);

}  // namespace parity::cli
