#include "capture/tap_filter.h"

#include <string_view>
#include <utility>

namespace parity::capture {
namespace {

bool is_separator(char c) { return c == '.' || c == '/'; }

/// Whether `c` is in the set that starts behind '[' at `pattern`; sets `length` to the characters
/// of the set. A set without its ']' is a plain '['.
bool set_contains(std::string_view pattern, char c, std::size_t& length) {
  const std::size_t end = pattern.find(']', 2);
  if (end == std::string_view::npos) {
    length = 1;
    return c == '[';
  }
  length = end + 1;
  std::string_view body = pattern.substr(1, end - 1);
  const bool negated = body.front() == '!';
  if (negated) body.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (i + 2 < body.size() && body[i + 1] == '-') {
      found = found || (body[i] <= c && c <= body[i + 2]);
      i += 2;
    } else {
      found = found || body[i] == c;
    }
  }
  return found != negated && !is_separator(c);
}

/// Backtracks to the last star only: linear in practice, never exponential, for globs without "**"
/// after "*".
bool matches(std::string_view glob, std::string_view text) {
  while (!glob.empty()) {
    if (glob.front() == '*') {
      const bool crosses = glob.size() > 1 && glob[1] == '*';
      const std::string_view rest = glob.substr(crosses ? 2 : 1);
      if (rest.empty() && crosses) return true;
      for (std::size_t taken = 0;; ++taken) {
        if (matches(rest, text.substr(taken))) return true;
        if (taken == text.size() || (!crosses && is_separator(text[taken]))) return false;
      }
    }
    if (text.empty()) return false;
    std::size_t length = 1;
    if (glob.front() == '[') {
      if (!set_contains(glob, text.front(), length)) return false;
    } else if (glob.front() == '?' ? is_separator(text.front()) : glob.front() != text.front()) {
      return false;
    }
    glob.remove_prefix(length);
    text.remove_prefix(1);
  }
  return text.empty();
}

}  // namespace

bool glob_matches(const std::string& glob, const std::string& text) { return matches(glob, text); }

TapFilter::TapFilter(std::vector<std::string> layers, std::vector<std::string> skip) {
  for (std::string& glob : layers) layers_.push_back({std::move(glob)});
  for (std::string& glob : skip) skip_.push_back({std::move(glob)});
}

bool TapFilter::any_matches(std::vector<Pattern>& patterns, const run::TapId& id) {
  bool any = false;
  const std::string full_name = run::to_string(id);
  for (Pattern& pattern : patterns) {
    if (glob_matches(pattern.glob, id.path) || glob_matches(pattern.glob, full_name)) {
      pattern.matched = true;
      any = true;
    }
  }
  return any;
}

bool TapFilter::keeps(const run::TapId& id) {
  const bool wanted = any_matches(layers_, id) || layers_.empty();
  const bool skipped = any_matches(skip_, id);
  return id.kind == run::TapKind::output || (wanted && !skipped);
}

std::vector<std::string> TapFilter::unmatched() const {
  std::vector<std::string> globs;
  for (const auto* patterns : {&layers_, &skip_}) {
    for (const Pattern& pattern : *patterns) {
      if (!pattern.matched) globs.push_back(pattern.glob);
    }
  }
  return globs;
}

}  // namespace parity::capture
