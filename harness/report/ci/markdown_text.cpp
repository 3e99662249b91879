#include "report/ci/markdown_text.h"

#include <algorithm>

#include "report/words/text.h"

namespace parity::report {
namespace {

/// Between "@" and a name, "#" or "GH-" and a number, ":" and "//": sites look for these in what is
/// shown, where no escape helps.
constexpr std::string_view kWordJoiner = "\xE2\x81\xA0";

bool starts_reference(char c) {
  return std::string_view("@#!$%^~&:").find(c) != std::string_view::npos;
}

std::string escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '|':
      return "&#124;";
    case '$':
      return "&#36;";
    default:
      break;
  }
  constexpr std::string_view kMarks = "\\`*_{}[]#!~^";
  return kMarks.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; }

/// How long the name is that begins at `from`, 0 where none does: nothing that a site would see as
/// more than a word may touch it.
std::size_t name_length(std::string_view text, std::size_t from) {
  const bool free_before = from == 0 || text[from - 1] == ' ' || text[from - 1] == '(';
  if (!free_before || !is_letter(text[from])) return 0;
  std::size_t end = from;
  while (end < text.size() && is_in_name(text[end])) ++end;
  const bool free_behind =
      end == text.size() || std::string_view(" ,;:)").find(text[end]) != std::string_view::npos;
  const std::string_view word = text.substr(from, end - from);
  const bool is_name = word.find_first_of("._") != std::string_view::npos && word.back() != '.';
  return free_behind && is_name ? word.size() : 0;
}

}  // namespace

std::string markdown_sentence(std::string_view text, int width) {
  const std::string shown = keep_head(clean(text), width);
  std::string result;
  std::size_t prose_from = 0;
  for (std::size_t i = 0; i < shown.size();) {
    const std::size_t length = name_length(shown, i);
    if (length > 0) {
      result += markdown_prose(shown.substr(prose_from, i - prose_from), width);
      result += markdown_code(shown.substr(i, length), width);
      prose_from = i + length;
    }
    i += std::max<std::size_t>(length, 1);
  }
  return result + markdown_prose(shown.substr(prose_from), width);
}

std::string markdown_code(std::string_view text, int width) {
  std::string result;
  for (const char c : keep_head(clean(text), width)) {
    if (c == '`') {
      result += "\xCB\x8B";
    } else if (c == '|') {
      result += "\xC2\xA6";
    } else {
      result += c;
    }
  }
  return result.find_first_not_of(' ') == std::string::npos ? "(empty)" : "`" + result + "`";
}

std::string markdown_prose(std::string_view text, int width) {
  const std::string shown = keep_head(clean(text), width);
  std::string result;
  bool only_digits = true;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const char next = i + 1 < shown.size() ? shown[i + 1] : ' ';
    const bool is_digit = c >= '0' && c <= '9';
    // A list begins with a dash, a plus or a number; "www." is a link by itself.
    const bool begins_list =
        i == 0 ? c == '-' || c == '+' : only_digits && (c == '.' || c == ')') && next == ' ';
    const bool ends_www = c == '.' && i >= 3 && shown.compare(i - 3, 3, "www") == 0;
    result += begins_list || ends_www ? std::string("\\") + c : escaped(c);
    const bool is_issue = c == '-' && i >= 2 && (shown[i - 1] == 'H' || shown[i - 1] == 'h');
    if (ends_www || is_issue || (starts_reference(c) && next != ' ')) result += kWordJoiner;
    only_digits = only_digits && is_digit;
  }
  return result;
}

}  // namespace parity::report
