// A policy against a stored report: refused as a check of the golden refuses it.
#include "pipeline/judge/policy_check.h"

#include <gtest/gtest.h>

#include "error/error.h"
#include "pipeline/judge/made_measurements.h"

namespace parity::pipeline {
namespace {

using report::Outcome;
using test::policy_of;
using test::report_of;
using test::tap_of;

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
  report.cases[0].left_out.push_back(
      {{run::TapKind::module, "b", "", 0, ""}, "float32", "", {}, tensor::Shape{4}});
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

TEST(PolicyCheckOfAReport, TakesOptionalBoundsOnWhatWasNotMeasured) {
  const gate::RuleBook policy = policy_of(
      "bound = [{ metric = \"truth.ratio\", fail = 2, optional = true }, { metric = \"nrmse\", "
      "fail = "
      "0.5 }]",
      "");
  EXPECT_EQ(refusal(policy, report_of({tap_of("a", 0)})), "");
}

TEST(PolicyCheckOfAReport, RefusesACountThatNoTapCouldExceed) {
  report::Report report = report_of({tap_of("a", 0)});
  const auto counting = [](const std::string& limit) {
    return policy_of("bound = [{ metric = \"unequal\", fail = " + limit +
                         " }, { metric = \"nrmse\", fail = 0.5 }]",
                     "");
  };
  EXPECT_EQ(refusal(counting("3"), report), "");
  EXPECT_NE(refusal(counting("4"), report).find("more than 4 elements"), std::string::npos);
  report.cases[0].taps[0].dtype = "complex64";
  EXPECT_EQ(refusal(counting("7"), report), "") << "both parts are counted";
  EXPECT_NE(refusal(counting("8"), report), "");
  report.cases[0].left_out.push_back(
      {{run::TapKind::module, "b", "", 0, ""}, "float32", "", {}, tensor::Shape{9}});
  EXPECT_EQ(refusal(counting("8"), report), "") << "the golden has a larger one";
  EXPECT_NE(refusal(counting("9"), report), "");
}

TEST(Measured, IsSaidByThePassAndTheTruth) {
  EXPECT_EQ(measured_by(AttributionPass::forced), gate::Measured::yes);
  EXPECT_EQ(measured_by(AttributionPass::none), gate::Measured::no);
  EXPECT_EQ(measured_against("truth.h5"), gate::Measured::yes);
  EXPECT_EQ(measured_against(""), gate::Measured::no);
}

}  // namespace
}  // namespace parity::pipeline
