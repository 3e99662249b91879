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
#include "pipeline/record/whole_file.h"

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

bool is_github_job() {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::strcmp(actions, "true") == 0;
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
  if (!in_place) {
    try {
      pipeline::write_whole_file(path, text);
    } catch (const Error& error) {
      throw Error(ErrorKind::resource, error.what());
    }
    return;
  }
  // A device or a pipe.
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(ErrorKind::resource, "cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace parity::cli
