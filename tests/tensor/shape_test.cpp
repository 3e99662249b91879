// Tests of element counts, their overflow, and multi-indices.
#include "tensor/shape.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::tensor {
namespace {

struct CountRow {
  Shape shape;
  std::uint64_t count;
  const char* text;
};

TEST(ElementCount, IsTheProductOfTheSizes) {
  const std::vector<CountRow> rows = {
      {{}, 1, "scalar"},
      {{1}, 1, "1"},
      {{0}, 0, "0"},
      {{4, 128, 256}, 131072, "4x128x256"},
      {{3, 0, 2}, 0, "3x0x2"},
      {{1, 1, 1, 1}, 1, "1x1x1x1"},
      {{std::int64_t{1} << 31, std::int64_t{1} << 31},
       std::uint64_t{1} << 62,
       "2147483648x2147483648"},
  };
  for (const CountRow& row : rows) {
    EXPECT_EQ(element_count(row.shape), row.count) << row.text;
    EXPECT_EQ(to_string(row.shape), row.text);
  }
}

TEST(ElementCount, RefusesSizesThatNoTensorHas) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<Shape> rows = {
      {-1},
      {std::numeric_limits<std::int64_t>::min()},
      {0, -1},
      {-1, 0},
      {kMax},
      {kMax, kMax},
      {std::int64_t{1} << 31, std::int64_t{1} << 31, 2},
      {(std::int64_t{1} << 62) + 1},
      {std::int64_t{1} << 32, std::int64_t{1} << 32},  // 2^64 wraps to 0
      {kMax, kMax, 0},                                 // an empty tensor of impossible size
  };
  for (const Shape& shape : rows) {
    try {
      const std::uint64_t count = element_count(shape);
      FAIL() << to_string(shape) << " was accepted with " << count << " elements";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::incompatible) << to_string(shape);
    }
  }
}

TEST(Unravel, CountsTheLastDimensionFastest) {
  const Shape shape = {2, 3, 4};
  std::uint64_t flat = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(unravel(flat, shape), (std::vector<std::int64_t>{i, j, k})) << flat;
        ++flat;
      }
    }
  }
}

TEST(Unravel, OfAScalarHasNoIndices) { EXPECT_TRUE(unravel(0, {}).empty()); }

TEST(Unravel, ReachesTheLastElementOfALargeTensor) {
  const Shape shape = {std::int64_t{1} << 31, std::int64_t{1} << 31};
  EXPECT_EQ(unravel((std::uint64_t{1} << 62) - 1, shape),
            (std::vector<std::int64_t>{(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) - 1}));
}

}  // namespace
}  // namespace parity::tensor
