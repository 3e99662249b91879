#include "report/words/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace parity::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

/// One code point: its bytes in the text and its value; no value for bytes that are no UTF-8.
struct CodePoint {
  std::string_view bytes;
  std::uint32_t value = 0;
  bool valid = false;
};

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr auto kZeroWidth = std::to_array<Range>({{0x300, 0x36F},
                                                  {0x483, 0x489},
                                                  {0x591, 0x5BD},
                                                  {0x610, 0x61A},
                                                  {0x64B, 0x65F},
                                                  {0x1AB0, 0x1AFF},
                                                  {0x1DC0, 0x1DFF},
                                                  {0x200B, 0x200D},
                                                  {0x20D0, 0x20FF},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFE20, 0xFE2F}});
constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F680, 0x1F6FF},
                                             {0x1F900, 0x1F9FF},
                                             {0x20000, 0x3FFFD}});
/// C0, DEL, C1, line separators, direction marks and overrides, byte order mark.
constexpr auto kObeyed = std::to_array<Range>({{0x0, 0x1F},
                                               {0x7F, 0x9F},
                                               {0x200E, 0x200F},
                                               {0x2028, 0x202E},
                                               {0x2066, 0x2069},
                                               {0xFEFF, 0xFEFF}});

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.first <= value && value <= range.last;
  });
}

CodePoint invalid(std::string_view text) { return {text.substr(0, 1), 0, false}; }

/// The code point that `text`, which is not empty, starts with.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text.front());
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return invalid(text);
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xC0U) != 0x80U) return invalid(text);
    value = (value << 6U) | (next & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest.at(size) || value > 0x10FFFF || surrogate) return invalid(text);
  return {text.substr(0, size), value, true};
}

int width_of(const CodePoint& point) {
  if (!point.valid) return 1;
  if (is_in(kZeroWidth, point.value)) return 0;
  return is_in(kWide, point.value) ? 2 : 1;
}

std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> points;
  while (!text.empty()) {
    points.push_back(decode(text));
    text.remove_prefix(points.back().bytes.size());
  }
  return points;
}

/// The longest head of `text` of at most `width` columns, and at least one code point.
std::string_view head(std::string_view text, int width) {
  std::size_t size = 0;
  int used = 0;
  for (const CodePoint& point : code_points(text)) {
    used += width_of(point);
    if (used > width && size > 0) break;
    size += point.bytes.size();
  }
  return text.substr(0, size);
}

/// Words of a shell command; spaces inside quotes or after a backslash belong to the word.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && c == ' ') {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    words.back() += c;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  for (const CodePoint& point : code_points(text)) {
    result += point.valid && !is_in(kObeyed, point.value) ? point.bytes : kReplacement;
  }
  return result;
}

int display_width(std::string_view text) {
  int width = 0;
  for (const CodePoint& point : code_points(text)) width += width_of(point);
  return width;
}

std::string keep_head(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 1) return {};
  return std::string(width == 1 ? std::string_view{} : head(text, width - 1)).append(kEllipsis);
}

std::string keep_tail(std::string_view text, int width) {
  int left = display_width(text);
  if (left <= width) return std::string(text);
  if (width < 1) return {};
  while (left > width - 1) {
    const CodePoint point = decode(text);
    left -= width_of(point);
    text.remove_prefix(point.bytes.size());
  }
  return std::string(kEllipsis).append(text);
}

std::string keep_tails(std::string_view text, int width) {
  const std::size_t slash = text.rfind('/');
  constexpr int kLeastWidth = 12;
  if (display_width(text) <= width || slash == std::string_view::npos || width < kLeastWidth) {
    return keep_tail(text, width);
  }
  const std::string_view path = text.substr(0, slash);
  const std::string_view op = text.substr(slash + 1);
  const int room = width - 1;
  const int op_width = std::min(display_width(op), std::max(room / 3, room - display_width(path)));
  return keep_tail(path, room - op_width).append("/").append(keep_tail(op, op_width));
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ').append(text);
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text).append(static_cast<std::size_t>(missing), ' ');
}

std::vector<std::string> wrap(std::string_view raw, std::string_view raw_first, int width) {
  // A line keeps room for text after whatever stands before it.
  constexpr int kLeastRoom = 20;
  constexpr int kLeastFirst = 4;
  const std::string first = keep_head(clean(raw_first), std::max(width - kLeastRoom, kLeastFirst));
  const std::string text = clean(raw);
  const int indent = display_width(first);
  const int room = std::max(1, width - indent);
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    const std::string start =
        lines.empty() ? first : std::string(static_cast<std::size_t>(indent), ' ');
    lines.push_back(start + line);
    line.clear();
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (!line.empty() && display_width(line) + 1 + display_width(word) > room) flush();
    if (!line.empty()) line += ' ';
    while (display_width(word) > room) {
      line = head(word, room);
      word.remove_prefix(line.size());
      flush();
    }
    line += word;
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

std::vector<std::string> wrap_command(std::string_view command, std::string_view first, int width) {
  const auto indent = static_cast<std::size_t>(display_width(first));
  std::vector<std::string> lines;
  std::string line(first);
  bool has_word = false;
  for (const std::string& word : shell_words(clean(command))) {
    constexpr int kContinuation = 2;  // " \"
    if (has_word && display_width(line) + 1 + display_width(word) + kContinuation > width) {
      lines.push_back(line + " \\");
      line = std::string(indent + 2, ' ');
      has_word = false;
    }
    if (has_word) line += ' ';
    line += word;
    has_word = true;
  }
  lines.push_back(line);
  return lines;
}

}  // namespace parity::report
