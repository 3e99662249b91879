// The texts and exit codes of error kinds, and the one place outside cli/ that prints: a broken
// invariant of our own leaves no caller who could.
#include "error/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace parity {

namespace {

/// what() ends at the first NUL, and a name from a foreign file may hold one.
std::string without_nul(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '?');
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(without_nul(message)), kind_(kind) {}

Error&& Error::with_detail(std::string detail) && {
  detail_ = std::move(detail);
  return std::move(*this);
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::model:
    case ErrorKind::store:
    case ErrorKind::incompatible:
      return 2;
    case ErrorKind::device:
    case ErrorKind::resource:
      return 3;
  }
  return 2;
}

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::model:
      return "model";
    case ErrorKind::store:
      return "store";
    case ErrorKind::incompatible:
      return "incompatible";
    case ErrorKind::device:
      return "device";
    case ErrorKind::resource:
      return "resource";
  }
  return "unknown";
}

// Called by PARITY_CHECK alone.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
void check_failed(std::string_view expression, std::string_view file, int line) {
  std::fprintf(stderr, "parity: internal check failed: %.*s (%.*s:%d)\n",
               static_cast<int>(expression.size()), expression.data(),
               static_cast<int>(file.size()), file.data(), line);
  std::abort();
}

}  // namespace parity
