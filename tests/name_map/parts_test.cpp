// Cutting and joining, plain and in blocks; each is the other's inverse.
#include "name_map/parts.h"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

namespace parity::name_map {
namespace {

tensor::HostTensor numbers(tensor::Shape shape, std::vector<std::int16_t> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int16_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {tensor::DType::int16, std::move(shape), std::move(bytes)};
}

std::vector<std::int16_t> values_of(const tensor::HostTensor& tensor) {
  std::vector<std::int16_t> values(tensor.bytes().size() / sizeof(std::int16_t));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

tensor::HostTensor counting(tensor::Shape shape) {
  std::vector<std::int16_t> values(tensor::element_count(shape));
  std::iota(values.begin(), values.end(), std::int16_t{0});
  return numbers(std::move(shape), std::move(values));
}

TEST(Cut, TakesPartsOneBehindTheOther) {
  const auto parts = cut(counting({2, 4}).view(), {1, 3}, 1);
  EXPECT_EQ(values_of(parts[0]), (std::vector<std::int16_t>{0, 4}));
  EXPECT_EQ(values_of(parts[1]), (std::vector<std::int16_t>{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(parts[1].shape(), (tensor::Shape{2, 3}));
}

TEST(Cut, TakesAShareOfEachPartFromEveryBlock) {
  // Two key heads of one value each; every block holds two queries, a key and a value.
  const auto parts = cut(counting({1, 8}).view(), {4, 2, 2}, 2);
  EXPECT_EQ(values_of(parts[0]), (std::vector<std::int16_t>{0, 1, 4, 5}));
  EXPECT_EQ(values_of(parts[1]), (std::vector<std::int16_t>{2, 6}));
  EXPECT_EQ(values_of(parts[2]), (std::vector<std::int16_t>{3, 7}));
}

TEST(Join, IsTheInverseOfCut) {
  for (const std::int64_t groups : {1, 2, 4}) {
    const tensor::HostTensor whole = counting({3, 2, 16});
    const tensor::HostTensor again = join(cut(whole.view(), {8, 4, 4}, groups), groups);
    EXPECT_EQ(again.shape(), whole.shape());
    EXPECT_EQ(values_of(again), values_of(whole)) << groups;
  }
}

TEST(Cut, WorksOnEmptyTensors) {
  const auto parts = cut(counting({0, 4}).view(), {1, 3}, 1);
  EXPECT_EQ(parts[1].shape(), (tensor::Shape{0, 3}));
  EXPECT_EQ(join(parts, 1).shape(), (tensor::Shape{0, 4}));
}

TEST(CannotCut, SaysWhy) {
  EXPECT_EQ(cannot_cut({2, 4}, {1, 3}, 1), "");
  EXPECT_EQ(cannot_cut({2, 5}, {1, 3}, 1), "its last dimension is 5, and the parts' are 1, 3");
  EXPECT_EQ(cannot_cut({}, {1, 3}, 1), "its last dimension is 0, and the parts' are 1, 3");
  EXPECT_EQ(cannot_cut({2, 4}, {1, 3}, 2), "parts of 1, 3 cannot be cut into 2 equal shares each");
}

TEST(CannotJoin, SaysWhy) {
  EXPECT_EQ(cannot_join({counting({2, 1}), counting({2, 3})}, 1), "");
  EXPECT_EQ(cannot_join({counting({2, 1}), counting({3, 1})}, 1),
            "its parts have the shapes 2x1 and 3x1");
  EXPECT_EQ(cannot_join({counting({2, 1}), counting({2, 3})}, 3),
            "parts of 1, 3 cannot be cut into 3 equal shares each");
  const tensor::HostTensor other(tensor::DType::float16, {2, 1}, std::vector<std::byte>(4));
  EXPECT_EQ(cannot_join({counting({2, 1}), other}, 1), "its parts are of int16 and float16");
}

TEST(SameRows, LooksAtRowsAndTheirLength) {
  EXPECT_TRUE(same_rows({2, 8, 4}, {16, 4}));
  EXPECT_TRUE(same_rows({1}, {}));
  EXPECT_FALSE(same_rows({2, 8, 4}, {8, 8}));
  EXPECT_FALSE(same_rows({2, 8, 4}, {15, 4}));
}

}  // namespace
}  // namespace parity::name_map
