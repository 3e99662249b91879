#include "model/weights/json_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "error/error.h"
#include "model/weights/pickle_cursor.h"

namespace parity::model {
namespace {

/// Why the bytes cannot be JSON, before any parsing; empty when they may be.
std::string encoding_fault(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    return "begins with a byte order mark, which JSON must not; save it as UTF-8 without one";
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff")
    return "is UTF-16 text; save it as UTF-8";
  if (!is_utf8(text)) return "has bytes that are no UTF-8; save it as UTF-8";
  return {};
}

/// What is wrong at the byte with number `byte`, counted from 1, where the parser gave up.
std::string syntax_fault(std::string_view text, std::size_t byte) {
  const std::size_t at = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string place =
      "line " + std::to_string(line) + ", column " + std::to_string(at - line_start + 1);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const char found = at < text.size() ? text[at] : '\0';
  if ((found == ']' || found == '}') && last != std::string_view::npos && before[last] == ',') {
    return std::string("has a comma before the '") + found + "' at " + place +
           ", which JSON does not allow; take it out";
  }
  return std::string("is no valid JSON (") + (at == text.size() ? "it ends at " : "at ") + place +
         "); write or download it again";
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& label) {
  using nlohmann::json;
  constexpr int kDeepest = 64;
  std::vector<std::set<std::string>> keys;
  std::string fault;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (!fault.empty()) return false;
    if (depth > kDeepest) fault = "nests deeper than 64 levels";
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) fault = "has the key `" + key + "` twice";
    }
    return fault.empty();
  };
  if (const std::string encoding = encoding_fault(text); !encoding.empty())
    throw Error(ErrorKind::model, label + " " + encoding);
  json document;
  try {
    document = json::parse(text.begin(), text.end(), watch);
  } catch (const nlohmann::json::parse_error& error) {
    if (fault.empty()) {
      throw Error(ErrorKind::model, label + " " + syntax_fault(text, error.byte))
          .with_detail(error.what());
    }
  } catch (const nlohmann::json::exception& error) {
    if (fault.empty()) {
      throw Error(ErrorKind::model, label + " is no valid JSON; write or download it again")
          .with_detail(error.what());
    }
  }
  if (!fault.empty()) throw Error(ErrorKind::model, label + " " + fault + "; write it again");
  return document;
}

std::optional<std::int64_t> size_from_json(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace parity::model
