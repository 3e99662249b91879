#include "model/weights/one_line.h"

#include "model/weights/pickle_cursor.h"

namespace parity::model {

std::string one_line(std::string_view text) {
  constexpr std::size_t kMostBytes = 1200;
  std::string line(text.substr(0, kMostBytes));
  const bool is_text = is_utf8(text);
  for (char& letter : line) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f || (!is_text && byte >= 0x80)) letter = '?';
  }
  if (text.size() <= kMostBytes) return line;
  // Not inside a character.
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80U) != 0) line.pop_back();
  return line + "...";
}

}  // namespace parity::model
