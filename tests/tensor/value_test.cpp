// Tests of the names of value kinds, which messages about inputs and outputs use.
#include "tensor/value.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

TEST(Value, KindsAreNamedAsInPython) {
  const std::vector<std::pair<Value, std::string>> rows = {
      {Value{}, "none"},
      {Value{HostTensor()}, "tensor"},
      {Value{true}, "bool"},
      {Value{std::int64_t{3}}, "int"},
      {Value{1.5}, "float"},
      {Value{std::string("text")}, "str"},
      {Value{ValueList{}}, "list"},
      {Value{ValueTuple{{Value{1.0}, Value{}}}}, "tuple"},
      {Value{ValueDict{{{"key", Value{}}}}}, "dict"},
  };
  for (const auto& [value, kind] : rows) EXPECT_EQ(kind_name(value), kind);
}

}  // namespace
}  // namespace parity::tensor
