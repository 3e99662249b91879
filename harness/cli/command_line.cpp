#include "cli/command_line.h"

#include "run/shell_word.h"

namespace parity::cli {

std::string quoted_command(int argc, const char* const* argv) {
  std::string text = "parity";
  for (int i = 1; i < argc; ++i) text.append(" ").append(run::shell_word(argv[i]));
  return text;
}

}  // namespace parity::cli
