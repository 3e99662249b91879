// Opcodes of the pickle machine that push numbers and strings.
#include <charconv>
#include <cstdlib>
#include <string>

#include "model/weights/pickle_machine.h"
#include "model/weights/pickle_opcodes.h"

namespace parity::model {
namespace {

double parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw MalformedPickle("a float is no number");
  }
  return value;
}

}  // namespace

bool PickleMachine::number(std::uint8_t opcode) {
  const auto push_int = [this](std::int64_t value) { push(arena_.make(value)); };
  switch (opcode) {
    case opcode::kNone:
      push(arena_.make(std::monostate{}));
      return true;
    case opcode::kNewTrue:
      push(arena_.make(true));
      return true;
    case opcode::kNewFalse:
      push(arena_.make(false));
      return true;
    case opcode::kBinInt: {
      const auto bits = static_cast<std::uint32_t>(cursor_.little_endian(4));
      push_int(static_cast<std::int32_t>(bits));
      return true;
    }
    case opcode::kBinInt1:
      push_int(static_cast<std::int64_t>(cursor_.little_endian(1)));
      return true;
    case opcode::kBinInt2:
      push_int(static_cast<std::int64_t>(cursor_.little_endian(2)));
      return true;
    case opcode::kLong1:
      push_long(cursor_.take(cursor_.little_endian(1)));
      return true;
    case opcode::kLong4:
      push_long(cursor_.take(cursor_.little_endian(4)));
      return true;
    case opcode::kInt: {
      const std::string_view line = cursor_.line();
      if (line == "00" || line == "01") {
        push(arena_.make(line == "01"));  // how protocol 0 writes False and True
      } else {
        push_long(arena_.keep(bytes_of_decimal(line)));
      }
      return true;
    }
    case opcode::kLong:
      push_long(arena_.keep(bytes_of_decimal(cursor_.line())));
      return true;
    case opcode::kFloat:
      push(arena_.make(parse_double(cursor_.line())));
      return true;
    case opcode::kBinFloat:
      push(arena_.make(cursor_.big_endian_double()));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::text(std::uint8_t opcode) {
  switch (opcode) {
    case opcode::kString:
      push_string(arena_.keep(unquote(cursor_.line())));
      return true;
    case opcode::kBinString:
      push_string(cursor_.take(cursor_.little_endian(4)));
      return true;
    case opcode::kShortBinString:
      push_string(cursor_.take(cursor_.little_endian(1)));
      return true;
    case opcode::kUnicode:
      push_unicode(arena_.keep(from_raw_unicode_escape(cursor_.line())));
      return true;
    case opcode::kShortBinUnicode:
      push_unicode(cursor_.take(cursor_.little_endian(1)));
      return true;
    case opcode::kBinUnicode:
      push_unicode(cursor_.take(cursor_.little_endian(4)));
      return true;
    case opcode::kBinUnicode8:
      push_unicode(cursor_.take(cursor_.little_endian(8)));
      return true;
    case opcode::kShortBinBytes:
      push(arena_.make(PickleBytes{cursor_.take(cursor_.little_endian(1))}));
      return true;
    case opcode::kBinBytes:
      push(arena_.make(PickleBytes{cursor_.take(cursor_.little_endian(4))}));
      return true;
    case opcode::kBinBytes8:
    case opcode::kByteArray8:
      push(arena_.make(PickleBytes{cursor_.take(cursor_.little_endian(8))}));
      return true;
    default:
      return false;
  }
}

void PickleMachine::push_long(std::string_view bytes) {
  const bool negative = !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80U) != 0;
  // Sign bytes past the eighth add nothing when bit 63 already has the sign.
  const char sign = negative ? '\xff' : '\0';
  std::string_view significant = bytes;
  while (significant.size() > 8 && significant.back() == sign) significant.remove_suffix(1);
  const bool top_bit =
      significant.size() == 8 && (static_cast<std::uint8_t>(significant.back()) & 0x80U) != 0;
  if (significant.size() > 8 || (significant.size() == 8 && top_bit != negative)) {
    push(arena_.make(PickleBigInt{bytes}));
    return;
  }
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = significant.size(); i-- > 0;) {
    value = value << 8U | static_cast<std::uint8_t>(significant[i]);
  }
  push(arena_.make(static_cast<std::int64_t>(value)));
}

void PickleMachine::push_string(std::string_view bytes) {
  // A Python 2 str: text in the files that torch wrote, bytes when it cannot be text.
  if (is_utf8(bytes)) {
    push(arena_.make(PickleText{bytes}));
  } else {
    push(arena_.make(PickleBytes{bytes}));
  }
}

void PickleMachine::push_unicode(std::string_view bytes) {
  if (!is_utf8(bytes)) throw MalformedPickle("a str is not UTF-8");
  push(arena_.make(PickleText{bytes}));
}

}  // namespace parity::model
