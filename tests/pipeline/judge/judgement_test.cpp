// Verdicts out of what a report holds: the same whatever was there before, and by nothing else.
#include "pipeline/judge/judgement.h"

#include <gtest/gtest.h>

#include "gate/policy_file.h"
#include "pipeline/judge/made_measurements.h"
#include "report/json/json.h"
#include "report/json_reader/json_reader.h"

namespace parity::pipeline {
namespace {

using report::Outcome;
using run::Strictness;
using run::Verdict;

using test::policy_of;
using test::report_of;
using test::tap_of;

Verdict verdict_of(report::Report report, const gate::RuleBook& policy) {
  judge_report(report, policy, Strictness::normal);
  return report.cases[0].taps[0].verdict;
}

TEST(Judgement, ReplacesWhatWasThere) {
  report::Report report = report_of({tap_of("a", 0.4), tap_of("b", 0)});
  judge_report(report, gate::default_rules(), Strictness::normal);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.cases[0].taps[0].rule, "default/float32");
  const std::string by_default = report::to_json(report);
  judge_report(report, policy_of(""), Strictness::normal);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.cases[0].taps[0].verdict, Verdict::suspect);
  EXPECT_EQ(report.cases[0].taps[0].rule, "p.toml:2");
  EXPECT_EQ(report.policy_bounds.size(), 1U);
  EXPECT_FALSE(report.first_divergence);
  EXPECT_EQ(report.totals.taps, 2U);
  judge_report(report, policy_of(""), Strictness::strict);
  EXPECT_EQ(report.exit_code, 1);
  judge_report(report, gate::default_rules(), Strictness::normal);
  EXPECT_EQ(report::to_json(report), by_default);
}

TEST(Judgement, OfAReportOutOfAFileIsThatOfTheOneInMemory) {
  report::Report report = report_of({tap_of("a", 0.4), tap_of("b", 1e-7)});
  report::Tap& rows = report.cases[0].taps[1];
  rows.outcome = Outcome::rows_compared;
  rows.rows = report::RowsCompared{1, 3};
  rows.unseen_rows = report::UnseenRows::differ;
  judge_report(report, gate::default_rules(), Strictness::normal);
  report::Report again = report::read_json(report::to_json(report), "r.json");
  for (const gate::RuleBook& policy : {policy_of(""), gate::default_rules()}) {
    judge_report(report, policy, Strictness::normal);
    judge_report(again, policy, Strictness::normal);
    EXPECT_EQ(report::to_json(again), report::to_json(report));
  }
}

TEST(Judgement, HoldsASecondRunToTheBitsOfTheFirst) {
  report::Report report = report_of({tap_of("a", 1e-9)});
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::within);
  report.cases[0].same_run = report::SameRun::yes;
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::suspect);
}

TEST(Judgement, SuspectsRowsThatNobodySaw) {
  report::Report report = report_of({tap_of("a", 0)});
  report::Tap& tap = report.cases[0].taps[0];
  tap.outcome = Outcome::rows_compared;
  tap.rows = report::RowsCompared{1, 3};
  tap.unseen_rows = report::UnseenRows::equal;
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::identical);
  tap.unseen_rows = report::UnseenRows::differ;
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::suspect);
}

TEST(Judgement, JudgesAnotherDtypeOnlyWhereItWasAskedFor) {
  report::Report report = report_of({tap_of("a", 1e-4)});
  report.cases[0].taps[0].candidate_dtype = "bfloat16";
  report.cases[0].taps[0].facts->candidate_dtype = tensor::DType::bfloat16;
  report.cases[0].taps[0].facts->ulp.dtype = tensor::DType::bfloat16;
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::dtype_differs);
  report.asked_dtype = "bfloat16";
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::within);
}

TEST(Judgement, JudgesByWhatATapInherits) {
  report::Report report = report_of({tap_of("a", 1e-3)});
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::diverged);
  report.cases[0].taps[0].inherited_dtype = "bfloat16";
  EXPECT_EQ(verdict_of(report, gate::default_rules()), Verdict::within);
}

TEST(Judgement, KnowsACaseByTheNameItWasRecordedUnder) {
  report::Report report = report_of({tap_of("a", 0.1)});
  report.cases[0].name = "prose, run 2";
  const gate::RuleBook policy = policy_of("cases = [\"prose\"]");
  EXPECT_EQ(verdict_of(report, policy), Verdict::diverged) << "by the rule behind";
  report.cases[0].recorded_as = "prose";
  EXPECT_EQ(verdict_of(report, policy), Verdict::within);
}

TEST(Judgement, ListsAnOptionalBoundWhereItHadSomethingToJudge) {
  const gate::RuleBook policy = gate::parse_policy(
      "name = \"p\"\n[[rule]]\nreason = \"r\"\n[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n"
      "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 0.01\noptional = true\n"
      "[[rule.bound]]\nmetric = \"truth.ratio\"\nfail = 2\noptional = true\n",
      "p.toml");
  report::Report report = report_of({tap_of("a", 0.1)});
  judge_report(report, policy, Strictness::normal);
  EXPECT_EQ(report.cases[0].taps[0].verdict, Verdict::within);
  ASSERT_EQ(report.policy_bounds.size(), 1U);
  EXPECT_EQ(report.policy_bounds[0].metric, "nrmse");

  report.cases[0].taps[0].introduced = tap_of("a", 0.1).facts;
  judge_report(report, policy, Strictness::normal);
  EXPECT_EQ(report.cases[0].taps[0].verdict, Verdict::diverged);
  ASSERT_EQ(report.policy_bounds.size(), 2U);
  EXPECT_EQ(report.policy_bounds[1].metric, "introduced.nrmse");

  report::TapTruth truth;
  truth.reference_nrmse = 0.1;
  truth.candidate_nrmse = 0.15;
  report.cases[0].taps[0].introduced.reset();
  report.cases[0].taps[0].truth = truth;
  judge_report(report, policy, Strictness::normal);
  EXPECT_EQ(report.cases[0].taps[0].verdict, Verdict::within);
  ASSERT_EQ(report.policy_bounds.size(), 2U);
  EXPECT_EQ(report.policy_bounds[1].metric, "truth.ratio");
  report.cases[0].taps[0].truth->candidate_nrmse = 0.3;
  EXPECT_EQ(verdict_of(report, policy), Verdict::diverged);
}

TEST(Judgement, SaysWhyATapIsMissing) {
  report::Report report = report_of({tap_of("a", 0)});
  report::Tap& tap = report.cases[0].taps[0];
  tap.outcome = Outcome::missing;
  tap.facts.reset();
  tap.not_captured = "its value is a str";
  judge_report(report, gate::default_rules(), Strictness::normal);
  EXPECT_EQ(tap.verdict, Verdict::missing);
  EXPECT_EQ(tap.reasons.back(), "the candidate could not capture it: its value is a str");
}

}  // namespace
}  // namespace parity::pipeline
