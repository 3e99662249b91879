#include "capture/row_selection.h"

#include <gtest/gtest.h>

namespace parity::capture {
namespace {

TEST(RowSelection, CountsRowsOfTheLastDimension) {
  EXPECT_EQ(row_count({2, 3, 4}), 6);
  EXPECT_EQ(row_count({5}), 1);
  EXPECT_EQ(row_count({}), 1);
  EXPECT_EQ(row_count({3, 0}), 0);
  EXPECT_EQ(row_count({0, 3}), 0);
}

TEST(RowSelection, CopiesTheNamedRowsInOrder) {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < 12; ++i) bytes.push_back(static_cast<std::byte>(i));
  const tensor::TensorView view{tensor::DType::int16, {3, 2}, bytes};
  const std::vector<std::byte> selected = select_rows(view, {0, 2});
  const std::vector<std::byte> wanted = {std::byte{0}, std::byte{1}, std::byte{2},  std::byte{3},
                                         std::byte{8}, std::byte{9}, std::byte{10}, std::byte{11}};
  EXPECT_EQ(selected, wanted);
}

TEST(RowSelection, OfAnEmptyTensorIsEmpty) {
  const tensor::TensorView view{tensor::DType::float32, {0, 3}, {}};
  EXPECT_TRUE(select_rows(view, {}).empty());
}

}  // namespace
}  // namespace parity::capture
