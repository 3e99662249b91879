// Numbers as the JSON documents of this folder hold them. Private to the folder: nlohmann's type
// shows.
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

namespace parity::report {

/// Keeps keys in the order in which they are documented.
using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: those are text.
[[nodiscard]] inline Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

/// null where there is no text: a rule that judged, a file, a dtype.
[[nodiscard]] inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

/// The rule that judged, which may be none.
[[nodiscard]] inline Json rule_json(const std::string& rule) { return text_or_null(rule); }

}  // namespace parity::report
