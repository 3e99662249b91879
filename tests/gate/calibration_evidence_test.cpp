// What a rule's bounds stand on: which runs count, which metrics nobody measured, and bounds on
// what not every comparison measures.
#include "gate/calibration_evidence.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gate/late_bounds.h"
#include "gate/made_spreads.h"

namespace parity::gate {
namespace {

using run::Verdict;
using tensor::DType;

const Bound* find_bound(const Rule& rule, const std::string& metric) {
  const auto found = std::find_if(rule.bounds.begin(), rule.bounds.end(),
                                  [&](const Bound& bound) { return bound.metric == metric; });
  return found == rule.bounds.end() ? nullptr : &*found;
}

/// sqrt(2) times the reference's error against its truth: other metrics than a run has.
Spread truth_spread(std::size_t run, const run::TapId& tap, double nrmse) {
  Spread made = spread(run, tap, nrmse);
  made.figures.resize(2);  // nrmse and max_error_over_rms
  return made;
}

CalibrationInput with_truth() {
  CalibrationInput input = two_runs();
  input.runs.push_back({Variation::truth, "the truth of a.h5", "a device"});
  return input;
}

TEST(Evidence, RunsOfTheSameBitsSayNothingOfAMetricThatTheOthersLack) {
  CalibrationInput input = with_truth();
  input.taps = {spread(0, module("fc"), 0), truth_spread(2, module("fc"), 3e-7)};
  const Calibration made = calibrate(input, choice());
  const Rule& rule = made.book.taps.at(0);
  ASSERT_NE(find_bound(rule, "nrmse"), nullptr);
  EXPECT_EQ(find_bound(rule, "ulp.p99"), nullptr)
      << "2 ulp, as one rounding explains, would fail every other backend";
  EXPECT_NE(
      std::find(made.taps[0].not_measured.begin(), made.taps[0].not_measured.end(), "ulp.p99"),
      made.taps[0].not_measured.end());
  // Another backend, as far off as the truth says: small elements are many steps apart.
  Spread other = spread(0, module("fc"), 5e-7);
  other.figures[3].value = 512;
  EXPECT_EQ(verdict_of(read_back(made, input), other), Verdict::within);
}

TEST(Evidence, WidensUlpsWhereTheTruthIsFurtherOffThanTheRuns) {
  CalibrationInput input = with_truth();
  input.taps = {spread(0, module("fc"), 1e-7)};
  const double alone = bound_on(calibrate(input, choice()).book.taps[0], "ulp.p99").fail;
  input.taps.push_back(truth_spread(2, module("fc"), 8e-7));
  CalibrationChoice same_headroom = choice();
  same_headroom.headroom = default_headroom(1);
  const Calibration made = calibrate(input, same_headroom);
  EXPECT_NEAR(bound_on(made.book.taps[0], "ulp.p99").fail, 8 * alone, 0.1 * 8 * alone);
  const BoundEvidence& evidence = made.taps[0].bounds.back();
  EXPECT_NE(evidence.remark.find("times 8"), std::string::npos) << evidence.remark;
}

TEST(Evidence, BoundsWhatALayerIntroducesAndItsDistanceFromTheTruth) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 1e-6)};
  input.taps[0].late = {{"introduced.nrmse", 4e-7}, {"truth.ratio", 1.1}};
  input.taps[1].late = {{"introduced.nrmse", 3e-7}};
  const Calibration made = calibrate(input, choice());
  const double headroom = default_headroom(2);
  const Rule& rule = made.book.taps[0];
  const Bound& introduced = bound_on(rule, "introduced.nrmse");
  EXPECT_NEAR(introduced.fail, headroom * 4e-7, 0.1 * headroom * 4e-7);
  EXPECT_EQ(introduced.presence, Presence::optional);
  EXPECT_NE(introduced.origin.find("b.h5"), std::string::npos) << introduced.origin;
  EXPECT_NEAR(bound_on(rule, "truth.ratio").fail, headroom * 1.1, 0.1 * headroom);
  EXPECT_EQ(find_bound(rule, "introduced.max_error_over_rms"), nullptr);
  EXPECT_EQ(made.taps[0].not_measured, (std::vector<std::string>{"introduced.max_error_over_rms"}));
  const PolicyRemarks remarks = remarks_on(made, input, "", {});
  const std::string& remark = remarks.taps[0].rule.back();
  EXPECT_EQ(remark,
            "no bound on what no run that differs measured here: introduced.max_error_over_rms");

  // Read back, they pass what they were made from and fail what is further off.
  const RuleBook book = read_back(made, input);
  const std::string name = "prose";
  const Limits limits = limits_for(book, {module("fc"), DType::float32, name});
  const Judgement within{Verdict::within, {}};
  compare::TensorComparison own = gate_test::noisy_facts(4e-7);
  EXPECT_EQ(judge_introduced(within, limits, &own, DType::float32, nullptr).verdict,
            Verdict::within);
  own = gate_test::noisy_facts(1e-5);
  EXPECT_EQ(judge_introduced(within, limits, &own, DType::float32, nullptr).verdict,
            Verdict::diverged);
  EXPECT_EQ(judge_introduced(within, limits, nullptr, DType::float32, nullptr).verdict,
            Verdict::within)
      << "without --attribute";
  TruthErrors errors;
  errors.reference.nrmse = 1e-6;
  errors.candidate.nrmse = 1.1e-6;
  EXPECT_EQ(judge_truth_ratio(within, limits, &errors, DType::float32).verdict, Verdict::within);
  errors.candidate.nrmse = 2e-5;
  EXPECT_EQ(judge_truth_ratio(within, limits, &errors, DType::float32).verdict, Verdict::diverged);
}

TEST(Evidence, LeavesOutATruthRatioThatRightRunsHaveALargeOneOf) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-3)};
  input.taps[0].late = {{"truth.ratio", 816}};
  const Calibration made = calibrate(input, choice());
  EXPECT_EQ(find_bound(made.book.taps[0], "truth.ratio"), nullptr);
  using LeftOut = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(made.taps[0].left_out, (LeftOut{{"truth.ratio", 816}}));
}

TEST(Evidence, CountsRunsOnce) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("a"), 2e-6), spread(0, module("b"), 3e-6),
                spread(1, module("a"), 2e-6), spread(1, module("b"), 4e-6)};
  const Calibration made = calibrate(input, choice());
  ASSERT_FALSE(made.taps.empty());
  for (const RuleEvidence& rule : made.taps) EXPECT_EQ(rule.runs, 2);
  EXPECT_EQ(runs_text(1), "1 run of a case that differs");
  EXPECT_EQ(runs_text(2), "2 runs of a case that differ");
}

}  // namespace
}  // namespace parity::gate
