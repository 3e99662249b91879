#include "gate/operator_blame.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::gate {
namespace {

using tensor::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();

OwnError own(const std::string& name, double nrmse, DType dtype = DType::float32) {
  OwnError error;
  error.name = name;
  error.dtype = dtype;
  error.nrmse = nrmse;
  error.max_error_over_rms = 4 * nrmse;
  error.moved_nrmse = 0.5 * (dtype == DType::float32 ? 5.96e-8 : 3.9e-3);
  return error;
}

OwnError not_judged(const std::string& name, const std::string& reason) {
  OwnError error;
  error.name = name;
  error.not_judged = reason;
  return error;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OperatorBlame, SinglesOutTheLargestExcess) {
  const OperatorBlame blame = blame_operator(
      {own("aten.mul", 1e-5), own("aten.softmax (attention.py:12)", 3e-3), own("aten.add", 3e-8)});
  ASSERT_TRUE(blame.culprit.has_value());
  EXPECT_EQ(*blame.culprit, 1U);
  EXPECT_NEAR(blame.explained.at(1), 3.8e-6, 1e-7) << "64 u of float32";
  EXPECT_TRUE(has(blame.sentence,
                  "aten.softmax (attention.py:12) has an own error of 3.0e-03 "
                  "where 3.8e-06 is explained"))
      << blame.sentence;
}

TEST(OperatorBlame, NamesNobodyWithinRounding) {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    const double rounding = tensor::unit_roundoff(dtype);
    const OperatorBlame blame = blame_operator(
        {own("aten.mul", 0.4 * rounding, dtype), own("aten.add", 1.5 * rounding, dtype)});
    EXPECT_FALSE(blame.culprit.has_value()) << tensor::name(dtype);
    EXPECT_TRUE(has(blame.sentence, "every operator of the candidate is within rounding"))
        << blame.sentence;
    EXPECT_TRUE(has(blame.sentence,
                    "aten.add): the two sides do not compute the same thing there; compare "
                    "weights, constants and operators of both"))
        << blame.sentence;
  }
}

TEST(OperatorBlame, TakesWhatOneRoundingOfTheInputsDoesAsExplained) {
  OwnError sum = own("aten.sum", 1e-3);
  EXPECT_TRUE(blame_operator({sum}).culprit.has_value());
  sum.moved_nrmse = 1e-4;  // terms that cancel
  EXPECT_FALSE(blame_operator({sum}).culprit.has_value());
  sum.moved_nrmse = kInf;  // to zero
  sum.nrmse = kInf;
  EXPECT_FALSE(blame_operator({sum}).culprit.has_value());
}

TEST(OperatorBlame, SeesOutliersAndWhatIsNoNumber) {
  OwnError sparse = own("aten.mul", 1e-7);
  EXPECT_FALSE(blame_operator({sparse}).culprit.has_value());
  sparse.max_error_over_rms = 0.1;
  EXPECT_TRUE(blame_operator({sparse}).culprit.has_value());
  OwnError lost = own("aten.mul", std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(blame_operator({own("aten.add", 1e-3), lost}).culprit == 1U);
}

TEST(OperatorBlame, AllowsIntegersNoErrorAtAll) {
  OwnError index = own("aten.add", 0, DType::int64);
  EXPECT_FALSE(blame_operator({index}).culprit.has_value());
  index.nrmse = 1e-9;
  EXPECT_TRUE(blame_operator({index}).culprit.has_value());
}

TEST(OperatorBlame, SaysWhatWasNotJudgedAndWhy) {
  const OperatorBlame some =
      blame_operator({own("aten.mul", 3e-8), not_judged("aten.dropout", "it draws random numbers"),
                      not_judged("aten.rand", "it draws random numbers")});
  EXPECT_FALSE(some.culprit.has_value());
  EXPECT_TRUE(has(some.sentence, "every operator that was judged")) << some.sentence;
  EXPECT_TRUE(has(some.sentence, "either an operator that was not differs, or the two sides"))
      << some.sentence;
  EXPECT_TRUE(has(some.sentence, "; not judged: aten.dropout, aten.rand (it draws random numbers)"))
      << some.sentence;
  const OperatorBlame none = blame_operator({own("aten.view", 0), not_judged("aten.mul", "why")});
  EXPECT_EQ(none.sentence, "no operator could be judged by itself; not judged: aten.mul (why)");
}

TEST(OperatorBlame, IsSilentWithoutOperators) { EXPECT_EQ(blame_operator({}).sentence, ""); }

}  // namespace
}  // namespace parity::gate
