// Bounds on what a layer introduces and on its distance from the truth, which never make a verdict
// better.
#include "gate/late_bounds.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "gate/made_facts.h"
#include "gate/policy_file.h"

namespace parity::gate {
namespace {

using run::TapKind;
using run::Verdict;
using tensor::DType;

run::TapId module(const std::string& path) { return {TapKind::module, path, "", 0, ""}; }
Limits limits_with(const std::string& bounds) {
  static RuleBook book;
  static const std::string name = "c";
  book = parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n" + bounds, "p.toml");
  return limits_for(book, {module("a"), DType::float32, name});
}

TEST(Introduced, IsJudgedByItsOwnBoundsAndNeverMakesAVerdictBetter) {
  const Limits limits =
      limits_with("[[rule.bound]]\nmetric = \"introduced.nrmse\"\nwarn = 1e-4\nfail = 1e-3\n");
  const struct {
    Verdict before;
    double nrmse;
    Verdict after;
  } rows[] = {
      {Verdict::within, 1e-5, Verdict::within},
      {Verdict::within, 5e-4, Verdict::suspect},
      {Verdict::within, 5e-3, Verdict::diverged},
      {Verdict::identical, 5e-3, Verdict::diverged},
      {Verdict::closer, 5e-3, Verdict::diverged},
      {Verdict::diverged, 1e-5, Verdict::diverged},
      {Verdict::non_finite, 5e-3, Verdict::non_finite},
      {Verdict::within, std::numeric_limits<double>::quiet_NaN(), Verdict::diverged},
  };
  for (const auto& row : rows) {
    const compare::TensorComparison facts = gate_test::noisy_facts(row.nrmse);
    EXPECT_EQ(judge_introduced({row.before, {}}, limits, &facts, DType::float32, nullptr).verdict,
              row.after)
        << run::name(row.before) << " with " << row.nrmse;
  }
  EXPECT_EQ(
      judge_introduced({Verdict::within, {}}, limits, nullptr, DType::float32, nullptr).verdict,
      Verdict::untested);
  compare::TensorComparison with_nan = gate_test::noisy_facts(1e-5);
  with_nan.classes.finite -= 1;
  with_nan.classes.nan_candidate_only = 1;
  const Judgement judgement =
      judge_introduced({Verdict::within, {}}, limits, &with_nan, DType::float32, nullptr);
  EXPECT_EQ(judgement.verdict, Verdict::non_finite);
  ASSERT_EQ(judgement.reasons.size(), 1U);
  EXPECT_EQ(judgement.reasons[0].rfind("introduced.", 0), 0U) << judgement.reasons[0];
}

TEST(Introduced, AloneLeavesTheFreeRunningTapUnbounded) {
  const Limits limits = limits_with("[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 1e-3\n");
  TapRules rules;
  rules.other_bounds = limits.other_bounds();
  EXPECT_EQ(judge(gate_test::noisy_facts(0.5), TapKind::module, limits.policy, rules).verdict,
            Verdict::within);
}

TEST(TruthRatio, IsJudgedWithOneRoundingAsItsFloor) {
  const Limits limits =
      limits_with("[[rule.bound]]\nmetric = \"truth.ratio\"\nwarn = 2\nfail = 4\n");
  const struct {
    double reference;
    double candidate;
    Verdict after;
  } rows[] = {
      {1e-4, 1.9e-4, Verdict::within},
      {1e-4, 3e-4, Verdict::suspect},
      {1e-4, 5e-4, Verdict::diverged},
      {0, 5e-8, Verdict::within},
      {0, 1e-4, Verdict::diverged},
      {1e-4, std::numeric_limits<double>::quiet_NaN(), Verdict::diverged},
  };
  for (const auto& row : rows) {
    TruthErrors errors;
    errors.reference.nrmse = row.reference;
    errors.candidate.nrmse = row.candidate;
    EXPECT_EQ(judge_truth_ratio({Verdict::within, {}}, limits, &errors, DType::float32).verdict,
              row.after)
        << row.candidate << " of " << row.reference;
  }
  EXPECT_EQ(judge_truth_ratio({Verdict::within, {}}, limits, nullptr, DType::float32).verdict,
            Verdict::untested);
  EXPECT_EQ(judge_truth_ratio({Verdict::identical, {}}, limits, nullptr, DType::float32).verdict,
            Verdict::identical);
}

TEST(OptionalBounds, JudgeWhereSomethingWasMeasuredAndAreLeftAsideElsewhere) {
  const Limits limits = limits_with(
      "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n"
      "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 1e-3\noptional = true\n"
      "[[rule.bound]]\nmetric = \"truth.ratio\"\nfail = 4\noptional = true\n");
  const Judgement within{Verdict::within, {}};
  EXPECT_EQ(judge_introduced(within, limits, nullptr, DType::float32, nullptr).verdict,
            Verdict::within);
  EXPECT_EQ(judge_truth_ratio(within, limits, nullptr, DType::float32).verdict, Verdict::within);
  const compare::TensorComparison much = gate_test::noisy_facts(5e-3);
  EXPECT_EQ(judge_introduced(within, limits, &much, DType::float32, nullptr).verdict,
            Verdict::diverged);
  TruthErrors errors;
  errors.reference.nrmse = 1e-4;
  errors.candidate.nrmse = 5e-4;
  EXPECT_EQ(judge_truth_ratio(within, limits, &errors, DType::float32).verdict, Verdict::diverged);
}

TEST(OptionalBounds, OneThatIsRequiredBesideThemLeavesATapUntested) {
  const Limits limits = limits_with(
      "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 1e-3\n"
      "[[rule.bound]]\nmetric = \"introduced.ulp.max\"\nfail = 4\noptional = true\n");
  EXPECT_EQ(
      judge_introduced({Verdict::within, {}}, limits, nullptr, DType::float32, nullptr).verdict,
      Verdict::untested);
}

}  // namespace
}  // namespace parity::gate
