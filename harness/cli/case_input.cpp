#include "cli/case_input.h"

#include <filesystem>
#include <string_view>

#include "error/error.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 200;  // bytes

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string shortened(std::string_view name) {
  constexpr int kShown = 40;
  return "'" + report::keep_head(report::clean(name), kShown) + "'";
}

/// `advice`: how to give another name.
void check_name(const std::string& name, const std::string& advice) {
  std::string fault;
  if (name.empty()) {
    fault = "is empty";
  } else if (name.size() > kLongestName) {
    fault =
        "has " + std::to_string(name.size()) + " bytes, more than " + std::to_string(kLongestName);
  } else if (report::clean(name) != name) {
    fault = "has control characters or bytes that are no UTF-8";
  }
  if (!fault.empty()) {
    throw Error(ErrorKind::usage, "the case name " + shortened(name) + " " + fault + "; " + advice);
  }
}

pipeline::CaseInput named_after(const std::string& spec) {
  const std::string name = exists(spec) ? fs::path(spec).stem().string() : spec;
  check_name(name, "name it: --inputs NAME=" + report::keep_head(report::clean(spec), 40));
  return {name, spec};
}

/// Names and files may have a '=': the first behind which there is a file, else the first of all.
std::size_t equals_of(const std::string& text) {
  const std::size_t first = text.find('=');
  for (std::size_t at = first; at != std::string::npos; at = text.find('=', at + 1)) {
    const bool is_name = text.find_first_of(":;/") > at;
    if (is_name && exists(text.substr(at + 1))) return at;
  }
  return first;
}

}  // namespace

pipeline::CaseInput case_input_of(const std::string& text) {
  const std::size_t equals = equals_of(text);
  const std::string name = text.substr(0, equals);
  // A generator may have a '=' in its text: str:a=b.
  const bool is_spec =
      equals == std::string::npos || exists(text) || name.find_first_of(":;") != std::string::npos;
  if (is_spec) return named_after(text);
  const std::string spec = text.substr(equals + 1);
  if (name.find('/') != std::string::npos) {
    // Rather a path with a '=' in it; then the file is what is missing.
    if (!exists(spec)) return named_after(text);
    throw Error(ErrorKind::usage, "the case name " + shortened(name) +
                                      " has a '/'; write --inputs NAME=FILE with another name");
  }
  check_name(name, "write --inputs NAME=FILE with another name");
  if (spec.empty()) {
    throw Error(ErrorKind::usage, "the case " + shortened(name) +
                                      " has nothing behind its '='; write --inputs NAME=FILE");
  }
  return {name, spec};
}

}  // namespace parity::cli
