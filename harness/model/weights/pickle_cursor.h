// Bounded reading of a pickle's arguments. Knows the spelling of numbers and strings, not what they
// are for.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parity::model {

/// The pickle breaks its own rules. Private to the pickle reader, which adds the file's name.
class MalformedPickle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PickleCursor {
 public:
  PickleCursor(std::span<const std::byte> bytes, std::size_t position)
      : bytes_(bytes), position_(position) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  // Each throws MalformedPickle when fewer bytes are left than it needs.
  [[nodiscard]] std::uint64_t little_endian(std::size_t size);
  [[nodiscard]] double big_endian_double();
  [[nodiscard]] std::string_view take(std::uint64_t size);
  /// Up to the next newline, which is consumed and not returned.
  [[nodiscard]] std::string_view line();

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_;
};

/// Two's complement, least significant byte first, of a decimal number as protocol 0 writes it
/// ("-12", "12L"). Throws MalformedPickle when it is no number or longer than 400 digits.
[[nodiscard]] std::string bytes_of_decimal(std::string_view text);

/// Content of a quoted string with Python's backslash escapes.
[[nodiscard]] std::string unquote(std::string_view text);

/// UTF-8 of protocol 0's raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX.
[[nodiscard]] std::string from_raw_unicode_escape(std::string_view text);

/// Latin-1 bytes of UTF-8 text. Throws MalformedPickle when a character does not fit.
[[nodiscard]] std::string latin1_of_utf8(std::string_view text);

/// True for well-formed UTF-8; lone surrogates pass, as Python writes them.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace parity::model
