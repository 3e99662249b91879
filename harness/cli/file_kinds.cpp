#include "cli/file_kinds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "error/error.h"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\n";

/// As much as every mark is within.
std::string beginning_of(const std::string& path) {
  constexpr std::size_t kLookedAt = 4096;
  std::string text(kLookedAt, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// Whether `text` goes on with all of `tokens`, blanks between them aside.
bool goes_on_with(std::string_view text, std::initializer_list<std::string_view> tokens) {
  for (const std::string_view token : tokens) {
    text = without_blanks(text);
    if (text.substr(0, token.size()) != token) return false;
    text.remove_prefix(token.size());
  }
  return true;
}

bool is_of(const FileKind& kind, std::string_view text) {
  if (!kind.schema.empty()) {
    const std::string schema = "\"" + std::string(kind.schema) + "\"";
    return goes_on_with(text, {kind.start, "\"schema\"", ":", schema});
  }
  return goes_on_with(text, {kind.start}) && text.find(kind.holds) != std::string_view::npos;
}

}  // namespace

void check_replaces(const FlaggedPath& output, const FileKind& kind) {
  std::error_code ignored;
  if (output.path == "-" || !fs::is_regular_file(output.path, ignored)) return;
  if (fs::file_size(output.path, ignored) == 0 || is_of(kind, beginning_of(output.path))) return;
  throw Error(ErrorKind::usage, output.flag + " " + output.path + " exists and is no " +
                                    std::string(kind.name) +
                                    ", so it is not overwritten; name another file or remove this "
                                    "one first");
}

}  // namespace parity::cli
