// What a model takes and returns: tensors and scalars nested in lists, tuples and dicts.
// Knows no model: which arguments there are is model/'s business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/host_tensor.h"

namespace parity::tensor {

struct Value;

struct ValueList {
  std::vector<Value> items;
};
struct ValueTuple {
  std::vector<Value> items;
};
/// Keeps insertion order; keys are unique.
struct ValueDict {
  std::vector<std::pair<std::string, Value>> items;
};

/// monostate stands for Python's None.
struct Value {
  std::variant<std::monostate, HostTensor, bool, std::int64_t, double, std::string, ValueList,
               ValueTuple, ValueDict>
      data;
};

/// "tensor", "none", "bool", "int", "float", "str", "list", "tuple", "dict".
[[nodiscard]] std::string_view kind_name(const Value& value);

}  // namespace parity::tensor
