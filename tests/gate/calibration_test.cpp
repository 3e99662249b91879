// Bounds from measurement: what they pass, what they refuse, and what each number stands on.
#include "gate/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/calibration_remarks.h"
#include "gate/made_spreads.h"
#include "gate/metrics.h"
#include "gate/policy_file.h"

namespace parity::gate {
namespace {

using run::Verdict;
using tensor::DType;

constexpr double kFloat32 = 5.9604644775390625e-8;

bool has_bound(const Rule& rule, const std::string& metric) {
  return std::any_of(rule.bounds.begin(), rule.bounds.end(),
                     [&](const Bound& bound) { return bound.metric == metric; });
}

std::string message_of(const CalibrationInput& input) {
  try {
    (void)calibrate(input, choice());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(DefaultHeadroom, IsTheQuantileThatTheDocumentationStates) {
  EXPECT_NEAR(default_headroom(1), std::exp2(3.0902), 1e-3);  // z(0.999) - z(0.5)
  EXPECT_NEAR(default_headroom(3), std::exp2(3.0902 - 0.6745), 1e-3);
  EXPECT_NEAR(default_headroom(99), std::exp2(3.0902 - 2.3263), 1e-3);
  EXPECT_EQ(default_headroom(0), default_headroom(1));
  EXPECT_EQ(default_headroom(1000000), 1.5);
}

TEST(DefaultHeadroom, ShrinksWithMoreRuns) {
  for (std::int64_t n = 1; n < 200; ++n) EXPECT_GE(default_headroom(n), default_headroom(n + 1));
}

TEST(Calibration, PutsTheLimitsAboveTheWorstByTheHeadroom) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 5e-7)};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.book.taps.size(), 2U);  // the tap's, and the last one of float32
  const Bound& bound = bound_on(made.book.taps[0], "nrmse");
  const double headroom = default_headroom(2);
  EXPECT_GE(bound.fail, headroom * 2e-6);
  EXPECT_LE(bound.fail, headroom * 2e-6 * 1.1) << "more than two digits' rounding";
  EXPECT_GE(bound.warn, std::sqrt(headroom) * 2e-6);
  EXPECT_LT(bound.warn, bound.fail);
  EXPECT_NE(bound.origin.find("2e-06"), std::string::npos) << bound.origin;
  EXPECT_NE(bound.origin.find("b.h5"), std::string::npos) << bound.origin;
  EXPECT_EQ(made.taps[0].runs, 2);
  EXPECT_EQ(made.taps[0].bounds[0].worst, &input.taps[0]);
  ASSERT_EQ(made.taps[0].bounds[0].variations.size(), 2U);
  EXPECT_EQ(made.taps[0].bounds[0].variations[1].worst, 5e-7);
}

TEST(Calibration, TakesTheHeadroomThatWasTyped) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6)};
  CalibrationChoice typed = choice();
  typed.headroom = 100;
  const Calibration made = calibrate(input, typed);
  EXPECT_NEAR(bound_on(made.book.taps[0], "nrmse").fail, 2e-4, 1e-9);
  EXPECT_NEAR(bound_on(made.book.taps[0], "nrmse").warn, 2e-5, 1e-9);
}

TEST(Calibration, CountsRunsWithTheSameFiguresOnce) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 2e-6)};
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 1);
  input.taps[1].case_name = "code";
  input.taps[1].figures[0].value = 3e-6;
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 2);
  input.taps[1].repeats = 7;
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 8);
}

TEST(Calibration, RunsWithEqualBitsAddNoEvidence) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 0)};
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 1);
}

TEST(Calibration, RefusesWhereNothingDiffers) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 0)};
  EXPECT_NE(message_of(input).find("nothing to calibrate from"), std::string::npos);
  EXPECT_NE(message_of({}).find("nothing to calibrate from"), std::string::npos);
}

TEST(Calibration, NoLimitIsBelowOneRounding) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                            DType::float8_e4m3fn, DType::float8_e5m2, DType::complex64}) {
    const double u = tensor::unit_roundoff(tensor::component(dtype));
    CalibrationInput input = two_runs();
    input.taps = {spread(0, module("embed"), u / 1e6, dtype)};
    const Calibration made = calibrate(input, choice());
    EXPECT_GE(bound_on(made.book.taps[0], "nrmse").warn, u);
    EXPECT_GE(bound_on(made.book.taps[0], "nrmse").fail, 2 * u);
    EXPECT_GE(bound_on(made.book.taps[0], "max_error_over_rms").fail, 64 * u);
    (void)read_back(made, input);  // which refuses a limit below the spacing
  }
}

TEST(Calibration, NamesTapsThatNoBoundCouldTest) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("noise"), 0.8), spread(1, module("noise"), 1e-6),
                spread(0, module("fc"), 1e-6)};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.untestable.size(), 1U);
  EXPECT_EQ(made.untestable[0].tap.path, "noise");
  EXPECT_EQ(made.untestable[0].why, "nrmse is 0.8");
  for (const Rule& rule : made.book.taps) EXPECT_LT(bound_on(rule, "nrmse").fail, 1e-4);
  EXPECT_EQ(verdict_of(read_back(made, input), input.taps[0]), Verdict::diverged);
  input.taps.pop_back();
  EXPECT_NE(message_of(input).find("no bound could tell"), std::string::npos);
}

TEST(Calibration, NamesTapsThatFailUnderEveryPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6), spread(0, module("bad"), 1e-6)};
  input.taps[1].unboundable = "NaN or Inf on one side only";
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.untestable.size(), 1U);
  EXPECT_EQ(made.untestable[0].why, "NaN or Inf on one side only");
}

TEST(Calibration, HoldsALimitWhereHalfTheResultWouldPass) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 0.2)};
  const Calibration made = calibrate(input, choice());
  EXPECT_EQ(bound_on(made.book.taps[0], "nrmse").fail, 0.5);
  EXPECT_NE(made.taps[0].bounds[0].remark.find("half as large"), std::string::npos);
  EXPECT_TRUE(made.taps[0].bounds[0].is_wider);
}

TEST(Calibration, LeavesAMetricOutThatSaysNothing) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-2, DType::bfloat16)};
  input.taps[0].figures[3].value = 64;  // ulp of bfloat16: a quarter of the value
  const Calibration made = calibrate(input, choice());
  EXPECT_FALSE(has_bound(made.book.taps[0], "ulp.p99"));
  EXPECT_TRUE(has_bound(made.book.taps[0], "nrmse"));
  using LeftOut = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(made.taps[0].left_out, (LeftOut{{"ulp.p99", 64}}));
  const PolicyRemarks remarks = remarks_on(made, input, "", {});
  EXPECT_NE(remarks.taps[0].rule[1].find("no bound on ulp.p99"), std::string::npos);
}

TEST(Calibration, CanStayInsideTheBuiltInPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-3)};  // the built-in fail limit is 1.5e-5
  EXPECT_TRUE(calibrate(input, choice()).taps[0].bounds[0].is_wider);
  CalibrationChoice tight = choice();
  tight.width = Width::built_in_at_most;
  const Calibration made = calibrate(input, tight);
  const Bound& bound = bound_on(made.book.taps[0], "nrmse");
  EXPECT_EQ(bound.fail, 256 * kFloat32);
  EXPECT_EQ(bound.warn, 64 * kFloat32);
  for (const RuleEvidence& rule : made.taps) {
    for (const BoundEvidence& one : rule.bounds) EXPECT_FALSE(one.is_wider);
  }
  ASSERT_EQ(made.beyond.size(), 1U);
  EXPECT_NE(made.beyond[0].why.find("is beyond the fail limit"), std::string::npos);
  EXPECT_TRUE(calibrate(input, choice()).beyond.empty());
}

TEST(Calibration, TruthFactorsAreNeverAboveTheBuiltInOnes) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  EXPECT_FALSE(calibrate(input, choice()).book.taps[0].truth_factor);
  for (const auto& [needed, wanted] : std::vector<std::pair<double, double>>{
           {0, 1}, {0.5, 1.5}, {5, 2}, {std::numeric_limits<double>::infinity(), 2}}) {
    input.taps[0].truth_factor = needed;
    EXPECT_NEAR(calibrate(input, choice()).book.taps[0].truth_factor.value(), wanted, 1e-9);
  }
}

TEST(Calibration, EqualIntegersAreLeftToTheBuiltInPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6), spread(0, module("ids"), 0, DType::int64)};
  EXPECT_EQ(calibrate(input, choice()).book.taps.size(), 2U);
  input.taps[1].figures = {{"unequal", 3}};
  const Calibration made = calibrate(input, choice());
  const Rule& rule = made.book.taps[1];
  EXPECT_EQ(rule.selector.dtypes, std::vector<DType>{DType::int64});
  EXPECT_EQ(bound_on(rule, "unequal").fail, std::ceil(3 * default_headroom(1)));
  EXPECT_TRUE(made.taps[1].bounds[0].is_wider);
  // Other integers are still held to equality.
  const Spread other = spread(0, module("positions"), 0, DType::int64);
  EXPECT_EQ(limits_for(read_back(made, input), {other.tap, DType::int64, "x"}).rule->id,
            "default/int64");
  input.taps[1].elements = 20;
  EXPECT_EQ(calibrate(input, choice()).untestable.size(), 1U);
}

TEST(Calibration, BoundsLogitsByWhatAUserWouldSee) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  Spread logits = spread(0, {run::TapKind::output, "<output>", "", 0, ""}, 1e-6);
  logits.elements = 100;
  logits.figures = {
      {"decided_flips", 0}, {"kl.mean", 1e-8}, {"kl.max", 1e-6}, {"top1_agreement", 1}};
  input.logits = {logits};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.book.logits.size(), 1U);
  const Rule& rule = made.book.logits[0];
  EXPECT_EQ(bound_on(rule, "decided_flips").fail, 0);
  const double square = std::pow(default_headroom(1), 2);
  EXPECT_NEAR(bound_on(rule, "kl.mean").fail, square * 1e-8, square * 1e-9);
  EXPECT_EQ(bound_on(rule, "top1_agreement").warn, 0.99);
  EXPECT_GT(bound_on(rule, "top1_agreement").fail, 0.9);
  EXPECT_LT(bound_on(rule, "top1_agreement").fail, 0.92);
  // Harm does not grow with headroom.
  input.logits[0].figures[1].value = 1e-4;
  EXPECT_EQ(bound_on(calibrate(input, choice()).book.logits[0], "kl.mean").fail, 1e-3);
  input.logits[0].figures[1].value = 1e-2;
  EXPECT_EQ(bound_on(calibrate(input, choice()).book.logits[0], "kl.mean").fail, 2e-2);
  input.logits[0].figures[2].value = 2;
  EXPECT_TRUE(calibrate(input, choice()).book.logits.empty());
  EXPECT_EQ(calibrate(input, choice()).untestable.at(0).why, "logits: kl.max is 2");
}

TEST(Calibration, AnEqualStepOfADecodeSaysNothingOfAShare) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  Spread step = spread(0, {run::TapKind::output, "<output>", "", 3, ""}, 0);
  step.elements = 1;
  Spread pooled = spread(0, {run::TapKind::output, "<output>", "", 0, ""}, 0);
  pooled.elements = 100;
  pooled.figures = {{"kl.mean", 1e-8}, {"top1_agreement", 1}};
  input.logits = {step, pooled};
  const Rule rule = calibrate(input, choice()).book.logits.at(0);
  EXPECT_GT(bound_on(rule, "top1_agreement").fail, 0.9);
}

}  // namespace
}  // namespace parity::gate
