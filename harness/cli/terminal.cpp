#include "cli/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::cli {

int output_width() {
  int width = 100;
  winsize size{};
  const char* columns = std::getenv("COLUMNS");
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  } else if (columns != nullptr && std::atoi(columns) > 0) {
    width = std::atoi(columns);
  }
  return std::clamp(width, 60, 400);
}

report::Color output_color(report::Color wanted) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_color != nullptr && *no_color != '\0') || isatty(STDOUT_FILENO) == 0 ||
                     (term != nullptr && std::strcmp(term, "dumb") == 0);
  return plain ? report::Color::off : wanted;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::resource,
                std::string("standard output cannot be written: ") + std::strerror(errno));
  }
}

void warn(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

void write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    print(text);
    return;
  }
  std::error_code ignored;
  const bool in_place =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  // A file appears whole or not at all; a device or a pipe is written as it is.
  const std::string target = in_place ? path : path + ".tmp" + std::to_string(getpid());
  std::ofstream out(target, std::ios::binary);
  out << text;
  out.close();
  std::string reason = out ? "" : std::strerror(errno);
  if (out && !in_place) {
    std::error_code error;
    std::filesystem::rename(target, path, error);
    if (error) reason = error.message();
  }
  if (reason.empty()) return;
  if (!in_place) std::filesystem::remove(target, ignored);
  throw Error(ErrorKind::resource, "cannot write " + path + ": " + reason);
}

}  // namespace parity::cli
