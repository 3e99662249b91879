// The rule of the truth: what becomes `closer`, what must not, and which side is named the worse.
#include "gate/truth.h"

#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/made_facts.h"

namespace parity::gate {
namespace {

using compare::TensorComparison;
using gate_test::close_logits;
using gate_test::identical_facts;
using gate_test::noisy_facts;
using run::TapKind;
using run::Verdict;
using tensor::DType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string joined(const Judgement& judgement) {
  std::string text;
  for (const std::string& reason : judgement.reasons) text += reason + "\n";
  return text;
}

/// As noise of that norm leaves it.
compare::Distance noise(double nrmse) { return {0, nrmse, 4 * nrmse}; }

/// The two sides against each other, and each against the truth.
struct Sides {
  TensorComparison between;
  compare::Distance reference;
  compare::Distance candidate;
};

/// A reference that is off by TF32's rounding while the candidate is right.
Sides worse_reference(DType dtype = DType::float32) {
  return {noisy_facts(0.1, dtype), noise(0.1), noise(1e-3)};
}

Judgement judged(const Sides& sides, TapKind kind = TapKind::module) {
  return judge_by_truth(judge(sides.between, kind, default_policy()), sides.between,
                        {sides.reference, sides.candidate}, default_policy());
}

struct Row {
  std::string what;
  std::function<void(Sides&)> change;
  Verdict verdict;
  std::string reason;  ///< part of the reasons
};

void expect_rows(const Sides& start, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    Sides sides = start;
    row.change(sides);
    const Judgement judgement = judged(sides);
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what << "\n"
                                                                    << joined(judgement);
    EXPECT_NE(joined(judgement).find(row.reason), std::string::npos) << row.what << "\n"
                                                                     << joined(judgement);
  }
}

TEST(JudgeByTruth, CallsATapCloserWhenEveryGuardHolds) {
  const double u = tensor::unit_roundoff(DType::float32);
  expect_rows(
      worse_reference(),
      {
          {"a far better candidate", [](auto&) {}, Verdict::closer,
           "no further from the truth than the reference: nrmse 0.001 against 0.1"},
          {"as far as the reference", [](auto& s) { s.candidate = s.reference; }, Verdict::closer,
           "no further"},
          {"twice as far", [](auto& s) { s.candidate = noise(0.2); }, Verdict::closer, ""},
          {"more than twice as far", [](auto& s) { s.candidate = noise(0.201); }, Verdict::diverged,
           "nrmse 0.201 exceeds 2 x 0.1"},
          {"one rounding where the reference is exact",
           [&](auto& s) {
             s.reference = {};
             s.candidate = {};
             s.candidate.nrmse = u, s.candidate.max_error_over_rms = u;
           },
           Verdict::closer, ""},
          {"two roundings where the reference is exact",
           [&](auto& s) {
             s.reference = {};
             s.candidate = {};
             s.candidate.nrmse = 2 * u, s.candidate.max_error_over_rms = u;
           },
           Verdict::diverged, "exceeds 2 x 0"},
          {"an outlier behind a good norm", [](auto& s) { s.candidate.max_error_over_rms = 0.81; },
           Verdict::diverged, "max_error_over_rms 0.81 exceeds 2 x 0.4"},
          {"NaN nrmse of the candidate", [](auto& s) { s.candidate.nrmse = kNan; },
           Verdict::diverged, "nrmse nan"},
          {"NaN nrmse of the reference", [](auto& s) { s.reference.nrmse = kNan; },
           Verdict::diverged, "x nan"},
          {"NaN largest error", [](auto& s) { s.candidate.max_error_over_rms = kNan; },
           Verdict::diverged, "max_error_over_rms nan"},
          {"both infinitely far from a truth of zeros",
           [](auto& s) { s.candidate.nrmse = kInf, s.reference.nrmse = kInf; }, Verdict::diverged,
           "nrmse inf"},
          {"NaN in the candidate where the truth has none",
           [](auto& s) { s.candidate.one_sided = 1; }, Verdict::diverged,
           "in the candidate or in the truth alone"},
          {"Inf in the truth where the candidate has none",
           [](auto& s) { s.candidate.one_sided = 1; }, Verdict::diverged,
           "in the candidate or in the truth alone"},
      });
}

TEST(JudgeByTruth, AllowsThreeTimesIn16Bits) {
  expect_rows(
      worse_reference(DType::bfloat16),
      {
          {"three times as far", [](auto& s) { s.candidate = noise(0.3); }, Verdict::closer, ""},
          {"further", [](auto& s) { s.candidate = noise(0.31); }, Verdict::diverged,
           "exceeds 3 x 0.1"},
      });
}

TEST(JudgeByTruth, NeverMakesAVerdictWorseNorAFaultGood) {
  Sides near = worse_reference();
  near.between = noisy_facts(1e-7);
  near.reference = noise(1e-8);
  near.candidate = noise(9e-7);
  EXPECT_EQ(judged(near).verdict, Verdict::within) << "bounds decide";
  EXPECT_NE(joined(judged(near)).find("further from the truth than the reference: nrmse 9e-07"),
            std::string::npos)
      << joined(judged(near));
  near.candidate = noise(1e-8);
  EXPECT_TRUE(judged(near).reasons.empty()) << joined(judged(near));

  Sides same = worse_reference();
  same.between = identical_facts();
  EXPECT_EQ(judged(same).verdict, Verdict::identical);
  EXPECT_TRUE(judged(same).reasons.empty());

  Sides suspect = worse_reference();
  suspect.between = noisy_facts(5e-6);
  EXPECT_EQ(judge(suspect.between, TapKind::module, default_policy()).verdict, Verdict::suspect);
  EXPECT_EQ(judged(suspect).verdict, Verdict::closer);

  Sides one_sided = worse_reference();
  one_sided.between.classes.nan_reference_only = 1;
  one_sided.between.classes.finite -= 1;
  one_sided.reference.one_sided = 1;
  EXPECT_EQ(judged(one_sided).verdict, Verdict::non_finite);
  EXPECT_NE(joined(judged(one_sided)).find("the truth is like the candidate there"),
            std::string::npos);

  Sides flushed = worse_reference();
  flushed.between = identical_facts();
  flushed.between.classes.equal_bits = 990;
  flushed.between.classes.flushed_to_zero = 10;
  EXPECT_EQ(judged(flushed).verdict, Verdict::suspect) << "a setting of the device";

  Sides constant = worse_reference();
  constant.between = identical_facts();
  constant.between.reference_constant = true;
  EXPECT_EQ(judged(constant, TapKind::output).verdict, Verdict::untrusted);
}

/// A candidate that turned two decided positions round, and is right.
LogitsTruth worse_reference_logits() {
  LogitsTruth truth;
  truth.reference = close_logits();
  truth.reference.kl = {0.1, 0.5, 1.5};
  truth.candidate = close_logits();
  truth.flips = {2, 2, 0, 2, 0};
  return truth;
}

TEST(JudgeLogitsByTruth, CallsThemCloserWhenTheTruthSidesWithTheCandidate) {
  struct LogitsRow {
    std::string what;
    std::function<void(LogitsTruth&)> change;
    Verdict verdict;
    std::string reason;
  };
  const LogitsRow rows[] = {
      {"the candidate is right", [](auto&) {}, Verdict::closer,
       "the truth has the candidate's choice at 2 of 2 flips"},
      {"twice the divergence",
       [](auto& t) {
         t.candidate.kl = {0.2, 1, 3};
       },
       Verdict::closer, ""},
      {"a larger mean",
       [](auto& t) {
         t.candidate.kl = {0.21, 1, 3};
       },
       Verdict::diverged, "kl.mean 0.21 exceeds 2 x 0.1"},
      {"a larger maximum",
       [](auto& t) {
         t.candidate.kl = {0.2, 1, 3.1};
       },
       Verdict::diverged, "kl.max 3.1 exceeds 2 x 1.5"},
      {"NaN", [](auto& t) { t.candidate.kl.mean = kNan; }, Verdict::diverged, "kl.mean nan"},
      {"a decided flip for the reference",
       [](auto& t) { t.flips.decided_elsewhere = 1, t.flips.candidate = 1; }, Verdict::diverged,
       "the truth does not have the candidate's choice at 1 of 2 decided flips"},
      {"an undecided flip for the reference",
       [](auto& t) { t.flips.flips = 3, t.flips.reference = 1; }, Verdict::closer, "2 of 3 flips"},
      {"rows without a figure", [](auto& t) { t.candidate.non_finite_rows = 1; }, Verdict::diverged,
       "cannot be measured"},
  };
  for (const LogitsRow& row : rows) {
    LogitsTruth truth = worse_reference_logits();
    row.change(truth);
    const Judgement judgement = judge_logits_by_truth({Verdict::diverged, {"decided_flips"}}, truth,
                                                      DType::float32, default_policy());
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what << "\n"
                                                                    << joined(judgement);
    EXPECT_NE(joined(judgement).find(row.reason), std::string::npos) << row.what << "\n"
                                                                     << joined(judgement);
  }
  for (const Verdict verdict : {Verdict::within, Verdict::non_finite, Verdict::untrusted}) {
    EXPECT_EQ(judge_logits_by_truth({verdict, {}}, worse_reference_logits(), DType::float32,
                                    default_policy())
                  .verdict,
              verdict);
  }
}

TruthEntry entry(const std::string& path, double reference, double candidate) {
  return {"prompts", {TapKind::module, path, "", 0, ""}, DType::float32, reference, candidate};
}

TEST(SummarizeTruth, NamesTheSideThatIsFurtherAtMoreTaps) {
  const TruthSummary reference =
      summarize_truth({entry("a", 1e-7, 1e-7), entry("b", 1e-4, 1e-6), entry("c", 4e-4, 1e-6),
                       entry("d", 3e-4, 1e-6), entry("e", 1e-7, 1e-6)},
                      "float64");
  EXPECT_EQ(reference.worse, WorseSide::reference);
  EXPECT_EQ(reference.reference_worse, 3U);
  EXPECT_EQ(reference.candidate_worse, 1U);
  EXPECT_EQ(reference.sentence,
            "the reference is the worse side: its error against the float64 truth is 300 times the "
            "candidate's (median) at 3 of 5 taps, first at b of case prompts");
  const TruthSummary candidate =
      summarize_truth({entry("a", 0, 0), entry("b", 0, 1e-3)}, "float64");
  EXPECT_EQ(candidate.worse, WorseSide::candidate);
  EXPECT_EQ(candidate.sentence.rfind("the candidate is the worse side: its error against the "
                                     "float64 truth is infinitely many times the reference's",
                                     0),
            0U)
      << candidate.sentence;
}

TEST(SummarizeTruth, SaysNothingOfSidesThatAreAlike) {
  EXPECT_EQ(summarize_truth({}, "float64").sentence, "");
  std::vector<TruthEntry> entries(20, entry("a", 1e-6, 1.9e-6));
  EXPECT_EQ(summarize_truth(entries, "float64").worse, WorseSide::neither);
  entries[0] = entry("b", 1e-6, 1e-3);
  const TruthSummary summary = summarize_truth(entries, "float64");
  EXPECT_EQ(summary.sentence, "") << "one tap of twenty";
  EXPECT_EQ(summary.candidate_worse, 1U);
}

TEST(TruthFactor, IsRefusedWhereItMeansNothing) {
  for (const double factor : {0.0, 0.5, kNan, kInf}) {
    Policy policy = default_policy();
    policy.dtypes[0].truth_factor = factor;
    EXPECT_THROW(validate(policy), Error) << factor;
  }
}

}  // namespace
}  // namespace parity::gate
