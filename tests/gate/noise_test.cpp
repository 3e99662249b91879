#include "gate/noise.h"

#include "made_facts.h"
#include <gtest/gtest.h>

#include "gate/policy.h"

namespace parity::gate {
namespace {

using gate_test::identical_facts;
using gate_test::noisy_facts;
using run::TapKind;
using run::TapNoise;
using run::Verdict;

TapNoise noisy(std::vector<run::NoiseFigure> figures) { return {4, 3, std::move(figures)}; }

Judgement judged(const compare::Outcome& outcome, const TapNoise& noise) {
  return judge(outcome, TapKind::module, default_policy(),
               {DtypeDifference::refused, std::nullopt, &noise});
}

TEST(Noise, IsTheFloorOfEveryBound) {
  struct Row {
    double nrmse;        // of the candidate
    double noise_nrmse;  // of the reference
    Verdict verdict;
  };
  // float32: warn 3.8e-6, fail 1.5e-5.
  const std::vector<Row> rows = {
      {1e-3, 0, Verdict::diverged},    {1e-3, 1e-4, Verdict::diverged},
      {1e-3, 3.4e-4, Verdict::within}, {1e-3, 3.2e-4, Verdict::diverged},
      {1e-5, 1e-9, Verdict::suspect},  {1e-5, 3.4e-6, Verdict::within},
  };
  for (const Row& row : rows) {
    const Judgement found =
        judged(noisy_facts(row.nrmse),
               noisy({{"nrmse", row.noise_nrmse}, {"max_error_over_rms", 4 * row.noise_nrmse}}));
    EXPECT_EQ(found.verdict, row.verdict) << row.nrmse << " over " << row.noise_nrmse;
  }
}

TEST(Noise, RaisesNoBoundThatItHasNoFigureOf) {
  EXPECT_EQ(judged(noisy_facts(1e-3), noisy({{"max_error_over_rms", 1}})).verdict,
            Verdict::diverged);
  EXPECT_EQ(judged(noisy_facts(1e-3), TapNoise{4, 0, {}}).verdict, Verdict::diverged);
}

TEST(Noise, OfAMetricThatIsOneAtBestIsAsFarBelowOne) {
  const TapNoise noise = noisy({{"top1_agreement", 0.98}});
  EXPECT_DOUBLE_EQ(with_noise_floor(0.99, "top1_agreement", Direction::lower_is_worse, &noise),
                   0.94);
  EXPECT_DOUBLE_EQ(with_noise_floor(0.9, "top1_agreement", Direction::lower_is_worse, &noise), 0.9);
}

TEST(Noise, IsNamedWhereverATapIsNotIdentical) {
  const Judgement found = judged(noisy_facts(1e-7), noisy({{"nrmse", 2.1e-4}}));
  EXPECT_EQ(found.verdict, Verdict::within);
  ASSERT_EQ(found.reasons.size(), 1U);
  EXPECT_EQ(found.reasons.front(),
            "differs between runs of the reference itself: in 3 of 4 repeats, nrmse up to 0.00021");
  EXPECT_TRUE(judged(identical_facts(), noisy({{"nrmse", 2.1e-4}})).reasons.empty());
  EXPECT_TRUE(judged(noisy_facts(1e-7), TapNoise{4, 0, {}}).reasons.empty());
}

TEST(Noise, ExplainsNoNanOrInfOnOneSide) {
  compare::TensorComparison facts = noisy_facts(1e-7);
  facts.classes.finite -= 1;
  facts.classes.nan_candidate_only = 1;
  EXPECT_EQ(judged(facts, noisy({{"nrmse", 1}})).verdict, Verdict::non_finite);
}

TEST(Noise, MakesADigestThatDiffersSayNothing) {
  EXPECT_EQ(judged(compare::DigestMismatch{}, noisy({})).verdict, Verdict::untested);
  EXPECT_EQ(judged(compare::DigestMismatch{}, TapNoise{4, 0, {}}).verdict, Verdict::diverged);
  EXPECT_EQ(judged(compare::DigestMatch{}, noisy({})).verdict, Verdict::identical);
}

TEST(Noise, IsTheFloorOfTheBoundsOfLogits) {
  compare::LogitsComparison logits;
  logits.positions = 10;
  logits.kl.mean = 5e-3;
  const compare::Outcome output = noisy_facts(1e-3);
  const TapNoise noise = noisy({{"kl.mean", 2e-3}});
  EXPECT_EQ(judge_logits(logits, output, default_policy()).verdict, Verdict::diverged);
  EXPECT_EQ(judge_logits(logits, output, default_policy(),
                         {DtypeDifference::refused, std::nullopt, &noise})
                .verdict,
            Verdict::within);
}

}  // namespace
}  // namespace parity::gate
