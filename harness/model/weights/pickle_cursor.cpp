#include "model/weights/pickle_cursor.h"

#include <algorithm>
#include <bit>

#include "model/weights/file_bytes.h"

namespace parity::model {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | code >> 6U);
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3fU));
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  throw MalformedPickle("an escape in a string is not hexadecimal");
}

std::uint32_t hex_number(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char digit : digits)
    value = value << 4U | static_cast<std::uint32_t>(hex_digit(digit));
  return value;
}

/// Bytes of the UTF-8 sequence that begins with `lead`; 0 for a byte that begins none.
std::size_t sequence_bytes(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

}  // namespace

std::uint64_t PickleCursor::little_endian(std::size_t size) {
  if (!holds(bytes_, position_, size)) throw MalformedPickle("it ends in the middle of a number");
  const std::uint64_t value = model::little_endian(bytes_, position_, size);
  position_ += size;
  return value;
}

double PickleCursor::big_endian_double() {
  const std::string_view raw = take(8);
  std::uint64_t bits = 0;
  for (const char byte : raw) bits = bits << 8U | static_cast<std::uint8_t>(byte);
  return std::bit_cast<double>(bits);
}

std::string_view PickleCursor::take(std::uint64_t size) {
  if (!holds(bytes_, position_, size)) {
    throw MalformedPickle("it announces " + std::to_string(size) + " bytes where " +
                          std::to_string(bytes_.size() - position_) + " are left");
  }
  const std::string_view text = as_text(bytes_.subspan(position_, size));
  position_ += size;
  return text;
}

std::string_view PickleCursor::line() {
  const std::string_view rest = as_text(bytes_.subspan(position_));
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) throw MalformedPickle("it ends in the middle of a line");
  position_ += end + 1;
  return rest.substr(0, end);
}

std::string bytes_of_decimal(std::string_view text) {
  constexpr std::size_t kMostDigits = 400;  // the conversion is quadratic
  if (!text.empty() && text.back() == 'L') text.remove_suffix(1);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMostDigits) {
    throw MalformedPickle("an integer has no digits, or more than 400");
  }
  std::string bytes;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') throw MalformedPickle("an integer is not decimal");
    auto carry = static_cast<std::uint32_t>(digit - '0');
    for (char& byte : bytes) {
      carry += 10U * static_cast<std::uint8_t>(byte);
      byte = static_cast<char>(carry & 0xffU);
      carry >>= 8U;
    }
    if (carry != 0) bytes += static_cast<char>(carry);
  }
  bytes += '\0';  // room for the sign
  if (negative) {
    std::uint32_t carry = 1;
    for (char& byte : bytes) {
      carry += static_cast<std::uint8_t>(~static_cast<std::uint8_t>(byte));
      byte = static_cast<char>(carry & 0xffU);
      carry >>= 8U;
    }
  }
  return bytes;
}

std::string unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"')) {
    throw MalformedPickle("a string is not quoted");
  }
  text = text.substr(1, text.size() - 2);
  static constexpr std::string_view kLetters = "\\'\"abfnrtv";
  static constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    if (++i == text.size()) throw MalformedPickle("a string ends in a backslash");
    if (text[i] == 'x') {
      if (text.size() - i < 3) throw MalformedPickle("a string ends in an escape");
      result += static_cast<char>(hex_number(text.substr(i + 1, 2)));
      i += 2;
      continue;
    }
    const std::size_t letter = kLetters.find(text[i]);
    if (letter == std::string_view::npos) throw MalformedPickle("a string has an unknown escape");
    result += kMeanings[letter];
  }
  return result;
}

std::string from_raw_unicode_escape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'u' || text[i + 1] == 'U');
    if (!escape) {
      append_utf8(result, static_cast<std::uint8_t>(text[i]));
      continue;
    }
    const std::size_t digits = text[i + 1] == 'u' ? 4 : 8;
    if (text.size() - i - 2 < digits) throw MalformedPickle("a string ends in an escape");
    const std::uint32_t code = hex_number(text.substr(i + 2, digits));
    if (code > 0x10ffff) throw MalformedPickle("a string has a character past the last one");
    append_utf8(result, code);
    i += 1 + digits;
  }
  return result;
}

std::string latin1_of_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    if (lead < 0x80) {
      result += text[i];
      continue;
    }
    if ((lead != 0xc2 && lead != 0xc3) || i + 1 == text.size()) {
      throw MalformedPickle("text that stands for bytes has a character past 255");
    }
    ++i;
    result += static_cast<char>((lead & 3U) << 6U | (static_cast<std::uint8_t>(text[i]) & 0x3fU));
  }
  return result;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const std::size_t size = sequence_bytes(lead);
    if (size == 0 || size > text.size() - i) return false;
    for (std::size_t k = 1; k < size; ++k) {
      if ((static_cast<std::uint8_t>(text[i + k]) & 0xc0U) != 0x80U) return false;
    }
    if (size > 2) {
      // Longer than needed, or past U+10FFFF.
      const auto second = static_cast<std::uint8_t>(text[i + 1]);
      if (lead == 0xe0 && second < 0xa0) return false;
      if (lead == 0xf0 && second < 0x90) return false;
      if (lead == 0xf4 && second >= 0x90) return false;
    }
    i += size;
  }
  return true;
}

}  // namespace parity::model
