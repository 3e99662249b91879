// One value of a JSON document that is being read, and where it stands: everything that is not what
// it should be is refused by file and key. Private to the folder: nlohmann's type shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json/json_number.h"
#include "tensor/dtype.h"

namespace parity::report {

class JsonNode {
 public:
  /// `file`: what messages call the document, which both must outlive this.
  JsonNode(const Json& value, const std::string& file) : value_(&value), file_(&file) {}

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool has(const char* key) const;

  /// Of an object that has the key.
  [[nodiscard]] JsonNode at(const char* key) const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> entries() const;
  /// Of a list.
  [[nodiscard]] std::vector<JsonNode> items() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string text_or_null() const;  ///< empty for null
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;  ///< "nan", "inf" and "-inf" included
  [[nodiscard]] std::optional<double> number_or_null() const;
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  /// From `least` on.
  [[nodiscard]] std::int64_t whole(std::int64_t least = 0) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::int64_t least = 0) const;

  [[nodiscard]] tensor::DType dtype() const;
  [[nodiscard]] std::string dtype_name() const;
  [[nodiscard]] std::string dtype_name_or_null() const;  ///< empty for null

  /// A text that `parse` knows.
  template <typename T>
  [[nodiscard]] T word(std::optional<T> (*parse)(std::string_view), const char* what) const {
    const std::optional<T> value = parse(text());
    if (!value) refuse(std::string("is no ") + what);
    return *value;
  }

  /// Throws Error(usage): "FILE: KEY.PATH " and the problem.
  [[noreturn]] void refuse(const std::string& problem) const;
  void require(bool holds, const char* problem) const {
    if (!holds) refuse(problem);
  }

 private:
  JsonNode(const Json& value, const std::string& file, std::string path)
      : value_(&value), file_(&file), path_(std::move(path)) {}
  template <typename T, typename Read, typename IsFine>
  [[nodiscard]] std::vector<T> each(const Read& read, const IsFine& is_fine) const;
  [[nodiscard]] JsonNode child(const Json& value, const std::string& key) const;
  [[nodiscard]] JsonNode child(const Json& value, std::size_t index) const;

  const Json* value_;
  const std::string* file_;
  std::string path_;
};

}  // namespace parity::report
