#include "cli/command_line.h"

#include <string_view>

namespace parity::cli {
namespace {

std::string quoted(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(argument);
  std::string text = "'";
  for (const char c : argument) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::string quoted_command(int argc, const char* const* argv) {
  std::string text = "parity";
  for (int i = 1; i < argc; ++i) text.append(" ").append(quoted(argv[i]));
  return text;
}

}  // namespace parity::cli
