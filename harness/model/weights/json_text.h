// JSON of untrusted files: parsed with a limit on nesting, and a key that comes twice is an error.
// Knows no key: what must be in a document is its reader's business.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace parity::model {

/// Throws Error(model) that begins with `label` and says where when the text is no JSON or no
/// UTF-8, nests deeper than 64 levels or has a key twice in one object.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& label);

/// A non-negative integer that fits 63 bits.
[[nodiscard]] std::optional<std::int64_t> size_from_json(const nlohmann::json& value);

}  // namespace parity::model
