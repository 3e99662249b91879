#include "model/torch/python_text.h"

#include <array>
#include <cstdint>

namespace parity::model {
namespace {

/// Of the character of UTF-8 at the start of `text`; 0 where there is none.
std::size_t size_of_character(std::string_view text) {
  struct Form {
    std::uint32_t lead_mask, lead, first;  ///< smallest code point that needs so many bytes
  };
  constexpr std::array<Form, 4> kForms = {
      {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}};
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t size = 1; size <= kForms.size() && size <= text.size(); ++size) {
    const Form& form = kForms[size - 1];
    if ((byte(0) & form.lead_mask) != form.lead) continue;
    std::uint32_t code = byte(0) & ~form.lead_mask;
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(i) & 0xc0U) != 0x80) return 0;
      code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= form.first && code <= 0x10ffff && !is_surrogate ? size : 0;
  }
  return 0;
}

std::string hex(std::string_view prefix, std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(prefix);
  text += kDigits[byte >> 4U];
  text += kDigits[byte & 0xfU];
  return text;
}

/// As in a Python literal. `marked`: characters that take a backslash.
std::string escaped(std::string_view text, std::string_view marked) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = size_of_character(text);
    const auto first = static_cast<std::uint8_t>(text[0]);
    if (size == 0) {
      result += hex("\\udc", first);
    } else if (first < 0x20 || first == 0x7f) {
      result += hex("\\x", first);
    } else {
      if (marked.find(text[0]) != std::string_view::npos) result += '\\';
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

}  // namespace

std::string text_literal(std::string_view text) {
  std::string literal = "'";
  literal += escaped(text, "'\\");
  literal += "'";
  return literal;
}

std::string comment_text(std::string_view text) { return escaped(text, ""); }

}  // namespace parity::model
