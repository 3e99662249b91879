#include "fault/fault_size.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fault/made_tensor.h"
#include "fault/value_changes.h"

namespace parity::fault {
namespace {

using tensor::DType;
using test::made;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

FaultSize size(const std::vector<double>& reference, const std::vector<double>& spoilt,
               DType dtype = DType::float64) {
  const tensor::Shape shape = {static_cast<std::int64_t>(reference.size())};
  return size_of(made(dtype, shape, reference).view(), made(dtype, shape, spoilt).view());
}

TEST(FaultSize, IsNothingForEqualValuesWhateverTheyAre) {
  const FaultSize same = size({1, 0, kNaN, kInf}, {1, -0.0, kNaN, kInf});
  EXPECT_FALSE(same.is_any());
  EXPECT_FALSE(is_gross(same, DType::float32));
  EXPECT_FALSE(is_gross(same, DType::int64));
}

TEST(FaultSize, IsMeasuredAgainstTheReference) {
  const FaultSize off = size({3, 4}, {3, 5});
  EXPECT_DOUBLE_EQ(off.nrmse, 0.2);
  EXPECT_DOUBLE_EQ(off.max_error_over_rms, 1 / std::sqrt(12.5));
  EXPECT_EQ(off.unequal, 1U);
  EXPECT_EQ(off.non_finite, 0U);
  const FaultSize of_zero = size({0, 0}, {0, 1});
  EXPECT_EQ(of_zero.nrmse, kInf);
  EXPECT_EQ(of_zero.max_error_over_rms, kInf);
  EXPECT_EQ(size({1, 2, 3}, {kNaN, 2, -kInf}).non_finite, 2U);
  EXPECT_EQ(size({kInf, 1}, {-kInf, 1}).non_finite, 1U);
  // Squares leave float64's range.
  EXPECT_DOUBLE_EQ(size({1e200, 1e200}, {2e200, 2e200}).nrmse, 1);
}

TEST(FaultSize, CountsEveryBlock) {
  const tensor::HostTensor reference =
      made(DType::float32, {10000}, std::vector<double>(10000, 1.0));
  EXPECT_EQ(size_of(reference.view(), scaled(reference.view(), 2).view()).unequal, 10000U);
  EXPECT_DOUBLE_EQ(size_of(reference.view(), scaled(reference.view(), 2).view()).nrmse, 1);
}

TEST(FaultSize, IsGrossFromWhereNoRoundingReaches) {
  struct Row {
    double factor;
    DType judged_by;
    bool gross;
  };
  const std::vector<double> values = {1, 2, 3, 4};
  for (const Row& row : {Row{1.01, DType::float32, true}, Row{1.0005, DType::float32, false},
                         Row{1.01, DType::bfloat16, false}, Row{1.5, DType::bfloat16, true},
                         Row{1.2, DType::float16, false}, Row{2, DType::float8_e5m2, true},
                         Row{1.3, DType::float8_e5m2, false}, Row{1.01, DType::complex64, true}}) {
    std::vector<double> spoilt = values;
    for (double& value : spoilt) value *= row.factor;
    EXPECT_EQ(is_gross(size(values, spoilt), row.judged_by), row.gross)
        << row.factor << " " << tensor::name(row.judged_by);
  }
  EXPECT_TRUE(is_gross(size({1, 2}, {1, kNaN}), DType::bfloat16));
  EXPECT_TRUE(is_gross(size({5, 6}, {5, 7}, DType::int64), DType::int64));
  // A single element, far from the others.
  std::vector<double> many(100000, 1.0);
  std::vector<double> outlier = many;
  outlier[7] = 200;
  EXPECT_TRUE(is_gross(size(many, outlier), DType::bfloat16));
}

}  // namespace
}  // namespace parity::fault
