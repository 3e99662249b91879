// What tools print, taken apart.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/child.h"

namespace parity::host {

/// Lines of a text, without white space at their ends and without the colours that some tools write
/// into pipes too.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// Text behind "key:" (any spaces before the colon) of the first line that has it; "" otherwise.
[[nodiscard]] std::string value_of(std::string_view text, std::string_view key);

/// The first dotted number in a text: "6.12.12" of "Driver version: 6.12.12"; "" when none.
[[nodiscard]] std::string version_in(std::string_view text);

/// The first two numbers of a version, for comparing releases; nullopt when it has no such.
struct Release {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const Release&, const Release&) = default;
};
[[nodiscard]] std::optional<Release> release_of(std::string_view version);

/// How a tool ended that did not succeed, as part of a sentence: "exit code 1: first line of what
/// it said", "killed by SIGSEGV", "no answer within 15 s".
[[nodiscard]] std::string ending_text(const ChildEnd& end);

/// One comma between each: "gfx90a, gfx942".
template <class Names>
[[nodiscard]] std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace parity::host
