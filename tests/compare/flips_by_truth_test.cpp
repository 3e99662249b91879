#include "compare/flips_by_truth.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Row {
  std::string what;
  std::vector<float> reference;
  std::vector<float> candidate;
  std::vector<float> truth;
  FlipsByTruth expected;
};

/// One position over three tokens.
FlipsByTruth flips_of(const Row& row) {
  const auto view = [](const std::vector<float>& values) {
    return tensor::TensorView{tensor::DType::float32, {1, 3}, std::as_bytes(std::span(values))};
  };
  return flips_by_truth(Reference{view(row.reference)}, Candidate{view(row.candidate)},
                        view(row.truth), {});
}

TEST(FlipsByTruth, CountsWhomTheTruthAgreesWith) {
  const Row rows[] = {
      {"no flip", {3, 0, 0}, {2, 1, 0}, {0, 3, 0}, {0, 0, 0, 0, 0}},
      {"the candidate is right", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 1, 0, 0, 0}},
      {"the reference is right", {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 1, 0, 0}},
      {"neither is", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0, 0, 0}},
      {"a decided flip for the candidate", {9, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 1, 0, 1, 0}},
      {"a decided flip for the reference", {9, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 1, 1, 1}},
      {"a decided flip for neither", {9, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0, 1, 1}},
      {"exactly at the gap", {2, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 1, 0, 1, 0}},
      {"the first of equals counts", {0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 1, 0, 0}},
      {"a masked token", {9, 0, -kInf}, {0, 1, -kInf}, {0, 1, -kInf}, {1, 1, 0, 1, 0}},
      {"NaN in the truth", {9, 0, 0}, {0, 1, 0}, {kNan, 1, 0}, {0, 0, 0, 0, 0}},
      {"Inf in the candidate", {9, 0, 0}, {0, kInf, 0}, {0, 1, 0}, {0, 0, 0, 0, 0}},
      {"nothing finite", {9, 0, 0}, {0, 1, 0}, {-kInf, -kInf, -kInf}, {0, 0, 0, 0, 0}},
  };
  for (const Row& row : rows) {
    const FlipsByTruth got = flips_of(row);
    EXPECT_EQ(got.flips, row.expected.flips) << row.what;
    EXPECT_EQ(got.candidate, row.expected.candidate) << row.what;
    EXPECT_EQ(got.reference, row.expected.reference) << row.what;
    EXPECT_EQ(got.decided, row.expected.decided) << row.what;
    EXPECT_EQ(got.decided_elsewhere, row.expected.decided_elsewhere) << row.what;
  }
}

TEST(FlipsByTruth, ReadsEachSideInItsOwnDtypeAndEveryRow) {
  const std::vector<float> reference = {1, 0, 5, 0};
  const std::vector<float> candidate = {0, 1, 0, 5};
  const std::vector<double> truth = {0, 1, 5, 0};
  const tensor::Shape shape = {2, 2};
  const FlipsByTruth got =
      flips_by_truth(Reference{tensor::TensorView{tensor::DType::float32, shape,
                                                  std::as_bytes(std::span(reference))}},
                     Candidate{tensor::TensorView{tensor::DType::float32, shape,
                                                  std::as_bytes(std::span(candidate))}},
                     {tensor::DType::float64, shape, std::as_bytes(std::span(truth))}, {});
  EXPECT_EQ(got.flips, 2U);
  EXPECT_EQ(got.candidate, 1U);
  EXPECT_EQ(got.reference, 1U);
  EXPECT_EQ(got.decided_elsewhere, 1U);
}

}  // namespace
}  // namespace parity::compare
