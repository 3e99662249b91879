#include "model/inputs/token_json.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "error/error.h"
#include "model/weights/json_text.h"

namespace parity::model {
namespace {

using nlohmann::json;
using tensor::Value;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::usage,
              where + " " + what + "; write token ids as [1, 2, 3] or [[1, 2], [3, 4]]");
}

std::int64_t integer(const json& number, const std::string& where) {
  const bool fits = number.is_number_integer() &&
                    (!number.is_number_unsigned() ||
                     number.get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) refuse(where, "holds something that is no integer of 64 bits");
  return number.get<std::int64_t>();
}

void append_row(std::vector<std::int64_t>& ids, const json& row, const std::string& where) {
  for (const json& number : row) ids.push_back(integer(number, where));
}

Value tokens(const json& list, const std::string& where) {
  if (list.empty()) refuse(where, "is an empty list");
  std::vector<std::int64_t> ids;
  std::size_t batch = 1;
  if (list.front().is_array()) {
    batch = list.size();
    for (const json& row : list) {
      if (!row.is_array() || row.size() != list.front().size()) {
        refuse(where, "has rows of different lengths");
      }
      append_row(ids, row, where);
    }
  } else {
    append_row(ids, list, where);
  }
  if (ids.empty()) refuse(where, "holds no token");
  std::vector<std::byte> bytes(ids.size() * sizeof(std::int64_t));
  std::memcpy(bytes.data(), ids.data(), bytes.size());
  const tensor::Shape shape = {static_cast<std::int64_t>(batch),
                               static_cast<std::int64_t>(ids.size() / batch)};
  return {tensor::HostTensor(tensor::DType::int64, shape, std::move(bytes))};
}

Value entry(const json& value, const std::string& where) {
  if (value.is_array()) return tokens(value, where);
  if (value.is_null()) return {std::monostate{}};
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_number_float()) return {value.get<double>()};
  if (value.is_number()) return {integer(value, where)};
  if (value.is_string()) return {value.get<std::string>()};
  refuse(where, "is an object inside an object");
}

}  // namespace

Value read_token_json(std::string_view text, const std::string& label) {
  const json document = parse_json(text, label);
  if (document.is_array()) return tokens(document, label);
  if (!document.is_object() || document.empty()) refuse(label, "holds no list of token ids");
  tensor::ValueDict dict;
  for (const auto& [name, value] : document.items()) {
    dict.items.emplace_back(name, entry(value, "the entry `" + name + "` of " + label));
  }
  return {std::move(dict)};
}

}  // namespace parity::model
