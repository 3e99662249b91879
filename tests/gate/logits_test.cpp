#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "gate/made_facts.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using compare::LogitsComparison;
using gate_test::close_logits;
using gate_test::identical_facts;
using run::Verdict;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string joined(const Judgement& judgement) {
  std::string text;
  for (const std::string& reason : judgement.reasons) text += reason + "\n";
  return text;
}

struct Row {
  std::string what;
  std::function<void(LogitsComparison&)> change;
  Verdict verdict;
  std::string reason;
};

TEST(JudgeLogits, FollowsTheScaleOfHarm) {
  const Row rows[] = {
      {"two good backends", [](auto&) {}, Verdict::within, ""},
      {"one near tie in 512 turned round",
       [](auto& f) { f.flips = 1, f.top1_agreement = 511.0 / 512, f.max_flip_gap = 7e-3; },
       Verdict::within, ""},
      {"one near tie in 8 turned round",
       [](auto& f) { f.positions = 8, f.flips = 1, f.top1_agreement = 0.875; }, Verdict::suspect,
       "top1_agreement 0.875 is below 0.99, the warn bound of logits"},
      {"one decided position turned round", [](auto& f) { f.flips = 1, f.decided_flips = 1; },
       Verdict::diverged, "decided_flips 1 exceeds 0, the fail bound of logits"},
      {"as far as 8-bit weights", [](auto& f) { f.kl.mean = 2.4e-4; }, Verdict::suspect,
       "kl.mean 0.00024"},
      {"as far as 5-bit weights", [](auto& f) { f.kl.mean = 4.7e-3; }, Verdict::diverged,
       "kl.mean 0.0047"},
      {"one ruined position", [](auto& f) { f.kl.max = 1.5; }, Verdict::diverged,
       "kl.max 1.5 exceeds 0.1"},
      {"NaN mean", [](auto& f) { f.kl.mean = kNan; }, Verdict::diverged, "kl.mean nan"},
      {"NaN agreement", [](auto& f) { f.top1_agreement = kNan; }, Verdict::diverged,
       "top1_agreement nan"},
      {"no positions", [](auto& f) { f = LogitsComparison{}; }, Verdict::untested, "no positions"},
      {"rows with NaN", [](auto& f) { f.non_finite_rows = 2; }, Verdict::non_finite,
       "2 positions hold NaN or +Inf"},
  };
  for (const Row& row : rows) {
    LogitsComparison facts = close_logits();
    row.change(facts);
    const Judgement judgement = judge_logits(facts, default_policy());
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what << "\n"
                                                                    << joined(judgement);
    if (row.reason.empty()) {
      EXPECT_TRUE(judgement.reasons.empty()) << row.what << "\n" << joined(judgement);
    } else {
      EXPECT_NE(joined(judgement).find(row.reason), std::string::npos) << row.what << "\n"
                                                                       << joined(judgement);
    }
  }
}

TEST(JudgeLogits, ForgivesRowsThatAreNotFiniteOnBothSidesAlike) {
  LogitsComparison logits = close_logits();
  logits.non_finite_rows = 2;
  compare::TensorComparison output = identical_facts();
  output.classes.finite = 980;
  output.classes.both_nan = 20;
  EXPECT_EQ(judge_logits(logits, output, default_policy()).verdict, Verdict::suspect);

  output.classes.both_nan = 19;
  output.classes.nan_candidate_only = 1;
  EXPECT_EQ(judge_logits(logits, output, default_policy()).verdict, Verdict::non_finite);
  EXPECT_EQ(judge_logits(logits, compare::NotCompared{}, default_policy()).verdict,
            Verdict::non_finite);

  output.classes.both_nan = 20;
  output.classes.nan_candidate_only = 0;
  logits.positions = logits.non_finite_rows;
  EXPECT_EQ(judge_logits(logits, output, default_policy()).verdict, Verdict::untrusted);
}

}  // namespace
}  // namespace parity::gate
