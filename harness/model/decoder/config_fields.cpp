// Typed fields of a JSON object, checked for presence, type and range before anything is computed
// from them.
#include "model/decoder/config_fields.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "error/error.h"

namespace parity::model {
namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();

/// The value as a message shows it: long ones cut.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

ConfigFields::ConfigFields(const nlohmann::json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) {
    throw Error(
        ErrorKind::model,
        fmt::format("{} must be a JSON object, not {}; pass the model's Hugging Face config.json",
                    where_, shown(object_)));
  }
}

void ConfigFields::refuse(const std::string& key, const std::string& complaint) const {
  throw Error(ErrorKind::model, fmt::format("{}: '{}' {}", where_, key, complaint));
}

bool ConfigFields::states(const char* key) const { return object_.contains(key); }

bool ConfigFields::has(const char* key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

const nlohmann::json& ConfigFields::at(const char* key) const {
  if (!has(key)) {
    refuse(key, states(key) ? "is null but must have a value" : "is missing");
  }
  return *object_.find(key);
}

ConfigFields ConfigFields::object(const char* key) const {
  return {at(key), fmt::format("{}: '{}'", where_, key)};
}

std::int64_t ConfigFields::size(std::initializer_list<const char*> keys) const {
  for (const char* key : keys) {
    if (const auto value = optional_size(key)) {
      return *value;
    }
  }
  (void)at(*keys.begin());
  return 0;
}

std::optional<std::int64_t> ConfigFields::whole_number(const char* key,
                                                       std::int64_t smallest) const {
  if (!has(key)) {
    return std::nullopt;
  }
  const nlohmann::json& value = at(key);
  const bool in_range = value.is_number_unsigned() &&
                        value.get<std::uint64_t>() >= static_cast<std::uint64_t>(smallest) &&
                        value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kLargestSize);
  if (!in_range) {
    refuse(key, fmt::format("must be a whole number from {} to {}, not {}", smallest, kLargestSize,
                            shown(value)));
  }
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> ConfigFields::optional_size(const char* key) const {
  return whole_number(key, 1);
}

std::optional<std::int64_t> ConfigFields::optional_count(const char* key) const {
  return whole_number(key, 0);
}

double ConfigFields::positive(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || !(value.get<double>() > 0)) {
    refuse(key, fmt::format("must be a number above 0, not {}", shown(value)));
  }
  return value.get<double>();
}

std::optional<double> ConfigFields::optional_positive(const char* key) const {
  return has(key) ? std::optional(positive(key)) : std::nullopt;
}

bool ConfigFields::flag_or(const char* key, bool otherwise) const {
  if (!has(key)) {
    return otherwise;
  }
  if (!at(key).is_boolean()) {
    refuse(key, fmt::format("must be true or false, not {}", shown(at(key))));
  }
  return at(key).get<bool>();
}

std::string ConfigFields::text(const char* key) const {
  if (!at(key).is_string()) {
    refuse(key, fmt::format("must be a string, not {}", shown(at(key))));
  }
  return at(key).get<std::string>();
}

std::string ConfigFields::text_or(const char* key, const char* otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

}  // namespace parity::model
