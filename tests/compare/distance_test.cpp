#include "compare/distance.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compare/compare_tensors.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

tensor::TensorView view_of(DType dtype, const tensor::Shape& shape, const auto& values) {
  return {dtype, shape, std::as_bytes(std::span(values))};
}

struct Row {
  std::string what;
  std::vector<double> truth;
  std::vector<float> side;
};

TEST(Distance, IsWhatTheFullComparisonFinds) {
  constexpr auto kNanF = std::numeric_limits<float>::quiet_NaN();
  constexpr auto kInfF = std::numeric_limits<float>::infinity();
  const Row rows[] = {
      {"equal values", {1, -2, 0.5, 4}, {1, -2, 0.5F, 4}},
      {"one off", {1, -2, 0.5, 4}, {1, -2, 0.75F, 4}},
      {"rounded", {0.1, 0.2, 0.3, 1e-50}, {0.1F, 0.2F, 0.3F, 0}},
      {"zeros", {0, 0, -0.0, 0}, {0, -0.0F, 0, 0}},
      {"only the truth is zero", {0, 0, 0, 0}, {0, 0, 1, 0}},
      {"only the side is zero", {1, 2, 3, 4}, {0, 0, 0, 0}},
      {"NaN on both sides", {1, kNan, 3, 4}, {1.5F, kNanF, 3, 4}},
      {"NaN in the truth alone", {1, kNan, 3, 4}, {1, 2, 3, 4}},
      {"NaN in the side alone", {1, 2, 3, 4}, {1, kNanF, 3, 4}},
      {"equal Inf", {1, kInf, -kInf, 4}, {1, kInfF, -kInfF, 5}},
      {"Inf of other signs", {1, kInf, 3, 4}, {1, -kInfF, 3, 4}},
      {"Inf against a number", {1, kInf, 3, 4}, {1, 2, -kInfF, 4}},
      {"Inf against NaN", {1, kInf, 3, 4}, {1, kNanF, 3, 4}},
      {"nothing finite", {kNan, kNan, kNan, kNan}, {kNanF, kNanF, kNanF, kNanF}},
      {"large values", {1e30, -1e38, 3, 4}, {1.5e30F, -2e38F, 3, 4}},
      {"no elements", {}, {}},
  };
  for (const Row& row : rows) {
    const bool empty = row.truth.empty();
    for (const bool pairs : {false, true}) {
      const tensor::Shape shape = {empty ? 0 : pairs ? 2 : 4};
      const auto truth = view_of(pairs ? DType::complex128 : DType::float64, shape, row.truth);
      const auto side = view_of(pairs ? DType::complex64 : DType::float32, shape, row.side);
      const TensorComparison full = compare_tensors(Reference{truth}, Candidate{side}, {});
      const Distance distance = distance_to(truth, side);
      const ClassCounts& classes = full.classes;
      EXPECT_EQ(distance.one_sided, classes.nan_reference_only + classes.nan_candidate_only +
                                        classes.inf_opposite + classes.inf_reference_only +
                                        classes.inf_candidate_only)
          << row.what;
      EXPECT_DOUBLE_EQ(distance.nrmse, full.nrmse) << row.what;
      EXPECT_DOUBLE_EQ(distance.max_error_over_rms, full.max_error_over_rms) << row.what;
    }
  }
}

TEST(Distance, ReadsEveryDtypeAndA0DimTensor) {
  const std::vector<std::uint16_t> third = {0x3eab};  // bfloat16 of 1/3
  const std::vector<float> truth = {1.0F / 3};
  const Distance distance =
      distance_to(view_of(DType::float32, {}, truth), view_of(DType::bfloat16, {}, third));
  EXPECT_NEAR(distance.nrmse, 0.333984375 * 3 - 1, 1e-7);
  EXPECT_NEAR(distance.max_error_over_rms, 0.333984375 * 3 - 1, 1e-7);
}

}  // namespace
}  // namespace parity::compare
