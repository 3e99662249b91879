#include "run/shell_word.h"

#include <algorithm>

namespace parity::run {
namespace {

bool is_control(char letter) {
  const auto value = static_cast<unsigned char>(letter);
  return value < 0x20 || value == 0x7F;
}

/// As three octal digits behind a backslash.
void add_octal(std::string& word, char letter) {
  const auto value = static_cast<unsigned char>(letter);
  word += '\\';
  for (const unsigned shift : {6U, 3U, 0U}) word += static_cast<char>('0' + (value >> shift & 7U));
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(text);
  if (std::any_of(text.begin(), text.end(), is_control)) {
    std::string word = "$'";
    for (const char letter : text) {
      if (is_control(letter) || letter == '\'' || letter == '\\') {
        add_octal(word, letter);
      } else {
        word += letter;
      }
    }
    return word + "'";
  }
  std::string word = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      word += "'\\''";
    } else {
      word += letter;
    }
  }
  return word + "'";
}

std::string shell_path(std::string_view path) {
  return shell_word(path.starts_with('-') ? std::string("./").append(path) : std::string(path));
}

}  // namespace parity::run
