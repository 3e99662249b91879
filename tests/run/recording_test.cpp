// Tests of what each store mode keeps of a tap.
#include "run/recording.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

using Rows = std::vector<std::int64_t>;

struct RowsRow {
  std::int64_t row_count;
  std::int64_t wanted;
  Rows rows;
};

TEST(StoredRows, AreSpreadEvenlyFromTheFirstToTheLast) {
  const std::vector<RowsRow> table = {
      {10, 2, {0, 9}},     {10, 3, {0, 4, 9}}, {10, 4, {0, 3, 6, 9}}, {5, 5, {0, 1, 2, 3, 4}},
      {3, 100, {0, 1, 2}}, {10, 1, {0}},       {1, 1, {0}},           {1, 7, {0}},
      {0, 4, {}},          {10, 0, {}},        {10, -3, {}},          {100, 5, {0, 24, 49, 74, 99}},
  };
  for (const RowsRow& row : table) {
    EXPECT_EQ(stored_rows(row.row_count, row.wanted), row.rows)
        << row.wanted << " of " << row.row_count;
  }
}

TEST(StoredRows, AreDifferentAndAscendingForEveryCount) {
  for (std::int64_t row_count = 1; row_count <= 64; ++row_count) {
    for (std::int64_t wanted = 2; wanted <= row_count; ++wanted) {
      const Rows rows = stored_rows(row_count, wanted);
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(wanted));
      EXPECT_EQ(rows.front(), 0);
      EXPECT_EQ(rows.back(), row_count - 1);
      for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_LT(rows[i - 1], rows[i]) << wanted << " of " << row_count << " at " << i;
      }
    }
  }
}

TEST(StoredRows, DoNotOverflowOnTheLargestTensors) {
  const std::int64_t row_count = std::int64_t{1} << 40;
  const Rows rows = stored_rows(row_count, 1 << 10);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), row_count - 1);
}

TEST(StoredShape, IsWhatTheModeKeeps) {
  TapRecord tap;
  tap.shape = {4, 128, 256};
  tap.rows = {0, 255, 511};
  tap.mode = StoreMode::full;
  EXPECT_EQ(stored_shape(tap), (tensor::Shape{4, 128, 256}));
  tap.mode = StoreMode::rows;
  EXPECT_EQ(stored_shape(tap), (tensor::Shape{3, 256}));
  tap.mode = StoreMode::digest;
  EXPECT_EQ(stored_shape(tap), tensor::Shape{0});
}

TEST(StoredShape, OfAScalarInRowsIsOneElement) {
  TapRecord tap;
  tap.mode = StoreMode::rows;
  tap.rows = {0};
  EXPECT_EQ(stored_shape(tap), (tensor::Shape{1, 1}));
}

TEST(StoreMode, NamesRoundTrip) {
  for (const StoreMode mode : {StoreMode::full, StoreMode::rows, StoreMode::digest}) {
    EXPECT_EQ(store_mode_from_name(name(mode)), mode);
  }
  EXPECT_EQ(name(StoreMode::rows), "rows");
  for (const char* text : {"", "row", "rows:4", "Full"})
    EXPECT_EQ(store_mode_from_name(text), std::nullopt) << text;
}

}  // namespace
}  // namespace parity::run
