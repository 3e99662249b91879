// Names of the kinds of values, as messages about inputs and outputs use them.
#include "tensor/value.h"

#include <array>

namespace parity::tensor {

std::string_view kind_name(const Value& value) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "none", "tensor", "bool", "int", "float", "str", "list", "tuple", "dict"};
  return kNames.at(value.data.index());
}

}  // namespace parity::tensor
