// A step is judged by what holds at one position, a decode by what holds over all of them.
#include "gate/decode.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gate/made_facts.h"

namespace parity::gate {
namespace {

using compare::LogitsComparison;
using gate_test::close_logits;
using gate_test::identical_facts;
using run::Verdict;

/// Of one row.
LogitsComparison step_logits() {
  LogitsComparison facts = close_logits();
  facts.positions = 1;
  return facts;
}

struct Row {
  const char* what;
  void (*change)(LogitsComparison&);
  Verdict step;
  Verdict decode;
};

TEST(JudgeDecode, LeavesAveragesToAllStepsTogether) {
  const Row rows[] = {
      {"two good backends", [](LogitsComparison&) {}, Verdict::within, Verdict::within},
      {"a mean like that of 5-bit weights",
       [](LogitsComparison& f) { f.kl.mean = 4.7e-3, f.kl.max = 4.7e-3; }, Verdict::within,
       Verdict::diverged},
      {"an undecided flip", [](LogitsComparison& f) { f.flips = 1, f.top1_agreement = 0; },
       Verdict::within, Verdict::suspect},
      {"a decided flip", [](LogitsComparison& f) { f.flips = 1, f.decided_flips = 1; },
       Verdict::diverged, Verdict::within},
      {"a ruined position", [](LogitsComparison& f) { f.kl.max = 0.5; }, Verdict::diverged,
       Verdict::within},
  };
  for (const Row& row : rows) {
    LogitsComparison facts = step_logits();
    row.change(facts);
    EXPECT_EQ(judge_step(facts, identical_facts(), default_policy()).verdict, row.step) << row.what;
    EXPECT_EQ(judge_decode(facts, std::nullopt, tensor::DType::float32, default_policy()).verdict,
              row.decode)
        << row.what;
  }
}

TEST(JudgeDecode, JudgesStepsByAveragesWhereAPolicyHasNothingElse) {
  Policy policy = default_policy();
  std::erase_if(policy.logits, [](const Bound& bound) { return bound.metric != "kl.mean"; });
  LogitsComparison facts = step_logits();
  facts.kl.mean = 1;
  EXPECT_EQ(judge_step(facts, identical_facts(), policy).verdict, Verdict::diverged);
}

TEST(JudgeDecode, JudgesAllStepsByWhatAPolicyHasWhereThatIsNoAverage) {
  Policy policy = default_policy();
  std::erase_if(policy.logits, [](const Bound& bound) { return bound.metric != "kl.max"; });
  LogitsComparison facts = close_logits();
  const auto verdict = [&] {
    return judge_decode(facts, std::nullopt, tensor::DType::float32, policy).verdict;
  };
  EXPECT_EQ(verdict(), Verdict::within);
  facts.kl.max = 1;
  EXPECT_EQ(verdict(), Verdict::diverged);
}

TEST(JudgeDecode, HasTheNoiseOfTheStepsAsTheFloorOfItsBounds) {
  const run::TapNoise first{3, 1, {{"kl.mean", 1e-4}, {"top1_agreement", 0.5}, {"nrmse", 1}}};
  const run::TapNoise second{3, 2, {{"kl.mean", 2e-3}, {"top1_agreement", 0.75}}};
  const run::TapNoise pooled = pooled_noise({&first, &second});
  EXPECT_EQ(pooled.repeats, 3);
  EXPECT_EQ(pooled.differing, 2);
  ASSERT_EQ(pooled.figures.size(), 2U) << "of logits";
  EXPECT_EQ(pooled.figures[0].value, 2e-3);
  EXPECT_EQ(pooled.figures[1].value, 0.5) << "the smaller is the worse";
  LogitsComparison facts = close_logits();
  facts.kl.mean = 4.7e-3;
  TapRules rules;
  const auto verdict = [&] {
    return judge_decode(facts, std::nullopt, tensor::DType::float32, default_policy(), rules)
        .verdict;
  };
  EXPECT_EQ(verdict(), Verdict::diverged);
  rules.noise = &pooled;
  EXPECT_EQ(verdict(), Verdict::within);
  facts.kl.mean = 7e-3;
  EXPECT_EQ(verdict(), Verdict::diverged);
}

TEST(JudgeDecode, LeavesRowsThatAreNotFiniteToTheirSteps) {
  LogitsComparison facts = close_logits();
  facts.non_finite_rows = 2;
  EXPECT_EQ(judge_step(facts, compare::NotCompared{}, default_policy()).verdict,
            Verdict::non_finite);
  EXPECT_EQ(judge_decode(facts, std::nullopt, tensor::DType::float32, default_policy()).verdict,
            Verdict::within);
  facts.non_finite_rows = facts.positions;
  EXPECT_EQ(judge_decode(facts, std::nullopt, tensor::DType::float32, default_policy()).verdict,
            Verdict::untested);
}

TEST(JudgeDecode, SidesWithTheTruth) {
  LogitsComparison facts = close_logits();
  facts.kl.mean = 4.7e-3;
  LogitsTruth truth;
  truth.reference.kl = {5e-3, 5e-3, 5e-3};
  truth.candidate.kl = {1e-6, 1e-6, 1e-6};
  EXPECT_EQ(judge_decode(facts, truth, tensor::DType::float32, default_policy()).verdict,
            Verdict::closer);
  std::swap(truth.reference, truth.candidate);
  EXPECT_EQ(judge_decode(facts, truth, tensor::DType::float32, default_policy()).verdict,
            Verdict::diverged);
}

}  // namespace
}  // namespace parity::gate
