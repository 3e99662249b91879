// Rows of inputs and of taps.
#include "pipeline/compare/batch_rows.h"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

namespace parity::pipeline {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::Shape;
using tensor::Value;

/// 0, 1, 2, ... in row-major order.
HostTensor counting(const Shape& shape) {
  std::vector<std::int32_t> numbers(tensor::element_count(shape));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::byte> bytes(numbers.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return {DType::int32, shape, std::move(bytes)};
}

std::vector<std::int32_t> numbers_of(const HostTensor& tensor) {
  std::vector<std::int32_t> numbers(tensor.bytes().size() / sizeof(std::int32_t));
  std::memcpy(numbers.data(), tensor.bytes().data(), tensor.bytes().size());
  return numbers;
}

const HostTensor& tensor_of(const Value& value) { return std::get<HostTensor>(value.data); }

TEST(BatchRows, AreTheFirstDimensionOfTheFirstTensor) {
  EXPECT_EQ(batch_size({counting({3, 2})}), 3);
  EXPECT_EQ(batch_size({tensor::ValueTuple{{{std::int64_t{7}}, {counting({})}, {counting({5})}}}}),
            5);
  EXPECT_EQ(batch_size({tensor::ValueDict{{{"x", {counting({2, 2})}}, {"y", {counting({9})}}}}}),
            2);
  EXPECT_EQ(batch_size({counting({})}), std::nullopt);
  EXPECT_EQ(batch_size({std::int64_t{4}}), std::nullopt);
}

TEST(BatchRows, OfInputsLeaveAllElseAsItIs) {
  const Value inputs{tensor::ValueDict{{{"ids", {counting({3, 2})}},
                                        {"mask", {counting({3})}},
                                        {"positions", {counting({1, 2})}},
                                        {"scale", {2.5}}}}};
  const Value row = one_row(inputs, 3, 1);
  const auto& items = std::get<tensor::ValueDict>(row.data).items;
  EXPECT_EQ(tensor_of(items[0].second).shape(), (Shape{1, 2}));
  EXPECT_EQ(numbers_of(tensor_of(items[0].second)), (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(numbers_of(tensor_of(items[1].second)), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(tensor_of(items[2].second).shape(), (Shape{1, 2}));
  EXPECT_EQ(std::get<double>(items[3].second.data), 2.5);
}

TEST(BatchRows, OfAMadeBatchAreNoCopiesOfEachOther) {
  const Value inputs{tensor::ValueDict{
      {{"mask", {HostTensor(DType::boolean, {1, 3}, std::vector<std::byte>(3, std::byte{1}))}},
       {"ids", {counting({1, 3})}},
       {"positions", {counting({1, 3})}},
       {"table", {counting({4, 2})}}}}};
  const Value batch = with_neighbours(inputs, 4);
  const auto& items = std::get<tensor::ValueDict>(batch.data).items;
  EXPECT_EQ(tensor_of(items[0].second).shape(), (Shape{4, 3}));
  EXPECT_EQ(numbers_of(tensor_of(items[1].second)),
            (std::vector<std::int32_t>{0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2}));
  EXPECT_EQ(numbers_of(tensor_of(items[2].second)),
            (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}))
      << "only the first is moved";
  EXPECT_EQ(tensor_of(items[3].second).shape(), (Shape{4, 2})) << "no row";
}

TEST(BatchRows, OfATapAreFoundAlongAnyDimension) {
  struct Row {
    Shape batch;
    Shape alone;
    std::vector<std::int32_t> second;  // row 1 of 2; empty: none
  };
  const std::vector<Row> rows = {
      {{2, 3}, {1, 3}, {3, 4, 5}},
      {{3, 2}, {3, 1}, {1, 3, 5}},           // [tokens, batch]
      {{4, 2}, {2, 2}, {4, 5, 6, 7}},        // [batch x tokens, ...]
      {{2, 2, 2}, {2, 1, 2}, {2, 3, 6, 7}},  // [layers, batch, ...]
      {{1, 3}, {1, 3}, {0, 1, 2}},           // shared by all rows
      {{2, 2}, {1, 1}, {}},
      {{3, 3}, {1, 3}, {}},
      {{2, 3}, {3}, {}},
  };
  for (const Row& row : rows) {
    const HostTensor whole = counting(row.batch);
    const std::optional<HostTensor> part = row_of_batch(whole.view(), row.alone, 2, 1);
    ASSERT_EQ(part.has_value(), !row.second.empty()) << tensor::to_string(row.batch);
    if (!part) continue;
    EXPECT_EQ(part->shape(), row.alone);
    EXPECT_EQ(numbers_of(*part), row.second) << tensor::to_string(row.batch);
  }
}

}  // namespace
}  // namespace parity::pipeline
