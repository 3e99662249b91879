// Token ids and masks of every dtype that they come in.
#include "tensor/whole_numbers.h"

#include <cstring>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

template <typename T>
HostTensor tensor_of(DType dtype, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {dtype, {static_cast<std::int64_t>(values.size())}, std::move(bytes)};
}

TEST(WholeNumbers, AreReadFromEveryDtypeOfIdsAndMasks) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(whole_numbers(tensor_of<std::int64_t>(DType::int64, {-1, INT64_MAX})),
            (Numbers{-1, INT64_MAX}));
  EXPECT_EQ(whole_numbers(tensor_of<std::int32_t>(DType::int32, {-1, INT32_MAX})),
            (Numbers{-1, INT32_MAX}));
  EXPECT_EQ(whole_numbers(tensor_of<std::uint8_t>(DType::uint8, {0, 255})), (Numbers{0, 255}));
  EXPECT_EQ(whole_numbers(tensor_of<std::uint8_t>(DType::boolean, {0, 1})), (Numbers{0, 1}));
  EXPECT_EQ(whole_numbers(tensor_of<std::int64_t>(DType::int64, {})), Numbers{});
  EXPECT_FALSE(whole_numbers(tensor_of<float>(DType::float32, {1})).has_value());
}

}  // namespace
}  // namespace parity::tensor
