// Verdicts out of what a report holds: the same whatever was there before, and by nothing else.
#include "pipeline/judge/judgement.h"

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/policy_file.h"
#include "pipeline/judge/policy_check.h"
#include "report/json/json.h"
#include "report/json_reader/json_reader.h"

namespace parity::pipeline {
namespace {

using report::Outcome;
using run::Strictness;
using run::Verdict;

/// A float32 tap of four elements whose norms differ by `nrmse`.
report::Tap tap_of(const std::string& path, double nrmse) {
  report::Tap tap;
  tap.id.path = path;
  tap.dtype = "float32";
  tap.shape = {4};
  tap.elements = 4;
  tap.outcome = Outcome::compared;
  tap.facts.emplace();
  tap.facts->shape = {4};
  tap.facts->elements = 4;
  tap.facts->classes.finite = 4;
  tap.facts->classes.equal_bits = nrmse == 0 ? 4 : 0;
  tap.facts->nrmse = nrmse;
  tap.facts->ulp.max = nrmse == 0 ? 0 : 1;
  tap.facts->reference_rms = 1;
  return tap;
}

report::Report report_of(std::vector<report::Tap> taps) {
  report::Report report;
  report::Case item;
  item.name = "prose";
  item.taps = std::move(taps);
  report.cases.push_back(std::move(item));
  return report;
}

gate::RuleBook policy_of(const std::string& rule) {
  return gate::parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n" + rule +
                                "\n[[rule.bound]]\nmetric = \"nrmse\"\nwarn = 0.25\nfail = 0.5\n",
                            "p.toml");
}

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

/// The message of the refusal; "" where there is none.
std::string refusal(const gate::RuleBook& policy, const report::Report& report) {
  try {
    check_policy(policy, report);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PolicyCheckOfAReport, RefusesWhatACheckOfTheGoldenRefuses) {
  report::Report report = report_of({tap_of("a", 0)});
  const gate::RuleBook of_b = policy_of("layers = [\"b\"]");
  EXPECT_NE(refusal(of_b, report).find("p.toml:2: the rule matches no tap"), std::string::npos);
  report.cases[0].left_out.push_back({{run::TapKind::module, "b", "", 0, ""}, "float32", "", {}});
  EXPECT_EQ(refusal(of_b, report), "") << "the golden has it";
  report.cases[0].left_out.clear();
  report.cases[0].taps.push_back(tap_of("b", 0));
  report.cases[0].taps[1].outcome = Outcome::additional;
  EXPECT_NE(refusal(of_b, report), "") << "the candidate alone has it";
  report.cases[0].taps[1].outcome = Outcome::missing;
  EXPECT_EQ(refusal(of_b, report), "");
  const gate::RuleBook of_bfloat16 = policy_of("dtypes = [\"bfloat16\"]");
  EXPECT_NE(refusal(of_bfloat16, report), "");
  report.asked_dtype = "bfloat16";
  EXPECT_EQ(refusal(of_bfloat16, report), "");
}

TEST(PolicyCheckOfAReport, RefusesBoundsOnWhatWasNotMeasured) {
  report::Report report = report_of({tap_of("a", 0)});
  for (const auto& [metric, limit] :
       {std::pair{"introduced.nrmse", "0.5"}, std::pair{"truth.ratio", "2"}}) {
    const gate::RuleBook policy =
        gate::parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n[[rule.bound]]\nmetric = \"" +
                               std::string(metric) + "\"\nfail = " + limit + "\n",
                           "p.toml");
    EXPECT_NE(refusal(policy, report).find("a bound on " + std::string(metric)), std::string::npos);
  }
  report.attribution.emplace();
  report.truth_file = "truth.h5";
  EXPECT_EQ(refusal(policy_of(""), report), "");
}

}  // namespace
}  // namespace parity::pipeline
