#include "gate/noise.h"

#include <limits>

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
  const NoiseFloor floor = noise_floor("top1_agreement", Direction::lower_is_worse, &noise).value();
  EXPECT_DOUBLE_EQ(worse_of(0.99, floor.limit, Direction::lower_is_worse), 0.94);
  EXPECT_DOUBLE_EQ(worse_of(0.9, floor.limit, Direction::lower_is_worse), 0.9);
  EXPECT_FALSE(floor.explains_anything);
}

TEST(Noise, ThatWouldExplainAnythingExplainsNothing) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto zeros = [] {
    compare::TensorComparison facts = noisy_facts(1);  // as a candidate of zeros has it
    facts.max_error_over_rms = 4;
    return facts;
  };
  for (const double nrmse : {0.34, 1.0, kInf}) {
    const Judgement found = judged(zeros(), noisy({{"nrmse", nrmse}, {"max_error_over_rms", 4}}));
    EXPECT_EQ(found.verdict, Verdict::untrusted) << nrmse;
  }
  EXPECT_EQ(judged(zeros(), noisy({{"nrmse", 0.3}, {"max_error_over_rms", 4}})).verdict,
            Verdict::diverged);
  // What is inside the bounds themselves needs no noise.
  EXPECT_EQ(judged(noisy_facts(1e-7), noisy({{"nrmse", kInf}})).verdict, Verdict::within);
  const TapNoise everywhere = noisy({{"where.share", 1}});
  EXPECT_FALSE(noise_floor("where.share", Direction::higher_is_worse, &everywhere)
                   .value()
                   .explains_anything);
  compare::LogitsComparison logits;
  logits.positions = 10;
  logits.kl.mean = 2;
  logits.decided_flips = 3;
  for (const run::NoiseFigure& figure :
       {run::NoiseFigure{"kl.mean", 0.5}, run::NoiseFigure{"decided_flips", 1}}) {
    const TapNoise noise = noisy({figure, {"kl.max", 0}});
    EXPECT_EQ(judge_logits(logits, noisy_facts(1e-3), default_policy(),
                           {DtypeDifference::refused, std::nullopt, &noise})
                  .verdict,
              Verdict::untrusted)
        << figure.metric;
  }
  const TapNoise undecided = noisy({{"top1_agreement", 0.5}});
  EXPECT_TRUE(noise_floor("top1_agreement", Direction::lower_is_worse, &undecided)
                  .value()
                  .explains_anything);
}

TEST(Noise, IsNoneWhereItsUnitIsOfAnotherDtype) {
  Policy policy = default_policy();
  for (DTypePolicy& limits : policy.dtypes) limits.bounds = {{"ulp.max", 1, 1, "a test"}};
  compare::TensorComparison facts = noisy_facts(1e-3);
  facts.ulp.max = 50;
  const TapNoise noise = noisy({{"ulp.max", 1000}});
  const auto verdict = [&](DtypeDifference difference) {
    return judge(facts, TapKind::module, policy, {difference, std::nullopt, &noise}).verdict;
  };
  EXPECT_EQ(verdict(DtypeDifference::refused), Verdict::within);
  facts.candidate_dtype = tensor::DType::bfloat16;
  facts.ulp.dtype = tensor::DType::bfloat16;
  EXPECT_EQ(verdict(DtypeDifference::allowed), Verdict::diverged);
}

TEST(Noise, IsSummedUpInOneSentence) {
  const TapNoise steady{4, 0, {}};
  const TapNoise little{4, 1, {{"nrmse", 1e-5}}};
  const TapNoise much{3, 3, {{"nrmse", 2e-4}}};
  const TapNoise unmeasured{4, 2, {}};
  const auto module = [](const char* path) { return run::TapId{TapKind::module, path, "", 0, ""}; };
  EXPECT_TRUE(summarize_noise({{"a", module("x"), steady}}).sentence.empty());
  const NoiseSummary found = summarize_noise(
      {{"a", module("x"), steady}, {"a", module("y"), little}, {"b", module("z"), much}});
  EXPECT_EQ(found.repeats, 3);
  EXPECT_EQ(found.differing, 2U);
  EXPECT_EQ(found.first, 1U);
  EXPECT_EQ(
      found.sentence,
      "2 of 3 taps are not the same in every run (3 repeats), the first y of case a; nrmse up "
      "to 0.0002, at z");
  EXPECT_EQ(summarize_noise({{"a", module("y"), unmeasured}}).sentence,
            "1 of 1 taps is not the same in every run (4 repeats), the first y of case a");
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
