// Spelling of a value's kind and shape, and its numbers, for tables in tests.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tensor/value.h"

namespace parity::model::testing {

using tensor::HostTensor;
using tensor::Value;

template <typename T>
std::vector<T> elements(const Value& value) {
  const auto& tensor = std::get<HostTensor>(value.data);
  std::vector<T> result(tensor.bytes().size() / sizeof(T));
  std::memcpy(result.data(), tensor.bytes().data(), tensor.bytes().size());
  return result;
}

/// "float32[2x3]", "(int 5, none)": kind and shape of a value, for tables.
inline std::string form(const Value& value) {
  const auto items = [](const std::vector<Value>& all) {
    std::string text;
    for (const Value& one : all) text += (text.empty() ? "" : ", ") + form(one);
    return text;
  };
  if (const auto* tensor = std::get_if<HostTensor>(&value.data)) {
    return std::string(tensor::name(tensor->dtype())) + "[" + tensor::to_string(tensor->shape()) +
           "]";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return "int " + std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value.data))
    return "float " + std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value.data)) return "'" + *text + "'";
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data))
    return "(" + items(tuple->items) + ")";
  if (const auto* list = std::get_if<tensor::ValueList>(&value.data))
    return "[" + items(list->items) + "]";
  if (const auto* dict = std::get_if<tensor::ValueDict>(&value.data)) {
    std::string text;
    for (const auto& [name, item] : dict->items)
      text += (text.empty() ? "" : ", ") + name + ": " + form(item);
    return "{" + text + "}";
  }
  return "none";
}

}  // namespace parity::model::testing
