#include "host/doctor/tool_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace parity::host {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

/// Without a terminal's control sequences: ESC [, parameters, one final byte of '@' to '~'.
std::string without_colours(std::string_view text) {
  constexpr std::string_view kStart = "\x1b[";
  std::string plain;
  for (std::size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart)) {
    plain += text.substr(0, at);
    text.remove_prefix(at + kStart.size());
    const auto* const last =
        std::find_if(text.begin(), text.end(), [](char c) { return c >= '@' && c <= '~'; });
    text.remove_prefix(static_cast<std::size_t>(last - text.begin()) +
                       (last != text.end() ? 1U : 0U));
  }
  return plain += text;
}

/// The line that says most: the last of a Python traceback, the first otherwise.
std::string telling_line(const std::string& text) {
  std::string first;
  std::string last;
  for (const std::string& line : lines_of(text)) {
    if (line.empty()) continue;
    if (first.empty()) first = line;
    last = line;
  }
  return first.rfind("Traceback", 0) == 0 ? last : first;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(trimmed(without_colours(text.substr(0, end))));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the text first, as in every search
std::string value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos;
       at = text.find(key, at + key.size())) {
    std::string_view rest = text.substr(at + key.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t colon = rest.find_first_not_of(kSpace);
    if (colon == std::string_view::npos || rest[colon] != ':') continue;
    return std::string(trimmed(rest.substr(colon + 1)));
  }
  return {};
}

std::string version_in(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789";
  for (std::size_t at = text.find_first_of(kDigits); at < text.size();
       at = text.find_first_of(kDigits, at)) {
    const std::size_t stop = text.find_first_not_of("0123456789.", at);
    std::string_view word = text.substr(at, stop == std::string_view::npos ? stop : stop - at);
    while (!word.empty() && word.back() == '.') word.remove_suffix(1);
    if (word.find('.') != std::string_view::npos) return std::string(word);
    if (stop == std::string_view::npos) break;
    at = stop;
  }
  return {};
}

std::optional<Release> release_of(std::string_view version) {
  const std::string number = version_in(version);
  Release release;
  const char* const end = number.data() + number.size();
  const auto major = std::from_chars(number.data(), end, release.major);
  if (major.ec != std::errc{} || major.ptr == end) return std::nullopt;
  if (std::from_chars(major.ptr + 1, end, release.minor).ec != std::errc{}) return std::nullopt;
  return release;
}

std::string ending_text(const ChildEnd& end) {
  switch (end.ending) {
    case Ending::not_found:
      return "not found";
    case Ending::not_started:
      return std::string("cannot be started: ") + std::strerror(end.code);
    case Ending::signalled:
      return "killed by " + signal_name(end.code);
    case Ending::timed_out:
    case Ending::unkillable: {
      const std::string seconds = std::to_string(std::lround(end.elapsed_s));
      return "no answer within " + seconds + " s" +
             (end.ending == Ending::unkillable ? ", and it cannot be killed" : "");
    }
    case Ending::exited:
      break;
  }
  const std::string said = telling_line(end.err.empty() ? end.out : end.err);
  return "exit code " + std::to_string(end.code) + (said.empty() ? "" : ": " + said);
}

}  // namespace parity::host
