// Private to the decoder: typed fields of one JSON object; every complaint names the file and the
// key.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace parity::model {

/// A view; `object` must outlive it. A field that is absent and one that is null are the same
/// unless said otherwise.
class ConfigFields {
 public:
  /// Throws Error(model) when `object` is no JSON object.
  ConfigFields(const nlohmann::json& object, std::string where);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] bool has(const char* key) const;
  /// True when the key is there, be it null.
  [[nodiscard]] bool states(const char* key) const;
  [[nodiscard]] const nlohmann::json& at(const char* key) const;
  /// The fields of the object at `key`, named `where: 'key'` in errors.
  [[nodiscard]] ConfigFields object(const char* key) const;

  /// From 1 to 2^31 - 1. The first of `keys` that is there; throws when none is.
  [[nodiscard]] std::int64_t size(std::initializer_list<const char*> keys) const;
  [[nodiscard]] std::int64_t size(const char* key) const { return size({key}); }
  [[nodiscard]] std::optional<std::int64_t> optional_size(const char* key) const;
  /// From 0 to 2^31 - 1.
  [[nodiscard]] std::optional<std::int64_t> optional_count(const char* key) const;
  /// Finite and above zero.
  [[nodiscard]] double positive(const char* key) const;
  [[nodiscard]] std::optional<double> optional_positive(const char* key) const;
  [[nodiscard]] bool flag_or(const char* key, bool otherwise) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::string text_or(const char* key, const char* otherwise) const;

  /// Throws Error(model): "<where>: '<key>' <complaint>".
  [[noreturn]] void refuse(const std::string& key, const std::string& complaint) const;

 private:
  [[nodiscard]] std::optional<std::int64_t> whole_number(const char* key,
                                                         std::int64_t smallest) const;

  const nlohmann::json& object_;
  std::string where_;
};

}  // namespace parity::model
