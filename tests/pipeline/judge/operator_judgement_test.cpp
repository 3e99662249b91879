// From the operators of a trace to the one that is blamed.
#include "pipeline/judge/operator_judgement.h"

#include <cstring>
#include <utility>

#include <gtest/gtest.h>

namespace parity::pipeline {
namespace {

tensor::HostTensor host(tensor::DType dtype, const void* data, std::size_t count) {
  std::vector<std::byte> bytes(count * tensor::size_bytes(dtype));
  std::memcpy(bytes.data(), data, bytes.size());
  return {dtype, {static_cast<std::int64_t>(count)}, std::move(bytes)};
}

model::OwnValue own(float factor) {
  const std::vector<double> exact = {1, 2, 3, 5};
  std::vector<float> candidate;
  for (const double value : exact) candidate.push_back(static_cast<float>(value) * factor);
  return {host(tensor::DType::float32, candidate.data(), 4),
          host(tensor::DType::float64, exact.data(), 4),
          host(tensor::DType::float64, exact.data(), 4)};
}

class MadeTrace final : public model::OperatorTrace {
 public:
  void add(const std::string& name, model::OwnValues own) {
    operators_.push_back({name, "model.py:7"});
    own_.push_back(std::move(own));
  }
  [[nodiscard]] const std::vector<model::OperatorCall>& operators() const override {
    return operators_;
  }
  [[nodiscard]] tensor::Value inputs() const override { return {}; }
  [[nodiscard]] model::OwnValues in_float64(std::size_t index) const override {
    return own_.at(index);
  }
  void save(const std::filesystem::path& /*folder*/,
            const model::Reproducer& /*what*/) const override {}
  [[nodiscard]] std::string difference_when_run(const std::filesystem::path& /*folder*/,
                                                std::uint64_t /*seed*/) const override {
    return {};
  }

 private:
  std::vector<model::OperatorCall> operators_;
  std::vector<model::OwnValues> own_;
};

TEST(OperatorJudgement, MeasuresEveryOperatorAndNamesTheWorst) {
  MadeTrace trace;
  trace.add("aten.view", {});
  trace.add("aten.mul", {"", {own(1)}});
  trace.add("aten.softmax", {"", {own(1), own(1.25F)}});
  trace.add("aten.dropout", {"it draws random numbers", {}});
  report::Blame blame;
  judge_operators(trace, blame);
  ASSERT_EQ(blame.operators.size(), 4U);
  EXPECT_EQ(blame.operators[0].own_error.nrmse, 0);
  EXPECT_EQ(blame.operators[1].own_error.nrmse, 0);
  EXPECT_NEAR(blame.operators[2].own_error.nrmse, 0.25, 1e-12);
  EXPECT_NEAR(blame.operators[2].own_error.explained, 3.8e-6, 1e-7);
  EXPECT_EQ(blame.operators[3].own_error.not_judged, "it draws random numbers");
  ASSERT_TRUE(blame.culprit.has_value());
  EXPECT_EQ(*blame.culprit, 2U);
  EXPECT_EQ(blame.operators_sentence.rfind("aten.softmax (model.py:7) has an own error", 0), 0U)
      << blame.operators_sentence;
}

TEST(OperatorJudgement, JudgesIndicesBesideValuesByTheValues) {
  const std::vector<std::int64_t> indices = {3, 1, 0, 2};
  const tensor::HostTensor places = host(tensor::DType::int64, indices.data(), 4);
  MadeTrace trace;
  trace.add("aten.topk", {"", {own(1.0000001F), {places, places, places}}});
  report::Blame blame;
  judge_operators(trace, blame);
  EXPECT_FALSE(blame.culprit.has_value()) << blame.operators_sentence;
  EXPECT_NEAR(blame.operators[0].own_error.explained, 3.8e-6, 1e-7);
}

}  // namespace
}  // namespace parity::pipeline
