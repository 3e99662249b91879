// Every fault is seen under the built-in policy, a gate that is switched off or lacks a check is
// caught, and what cannot be put in is named.
#include "pipeline/selftest/selftest.h"

#include <cmath>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/policy_file.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/selftest/made_golden.h"
#include "pipeline/selftest/selftest_taps.h"

namespace parity::pipeline {
namespace {

TEST_F(SelftestTest, SeesEveryFaultUnderTheBuiltInPolicy) {
  const Selftest found = run(golden(three_taps()));
  EXPECT_EQ(found.result, report::Result::pass) << found.reasons.front();
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_EQ(found.taps, 3U);
  for (const FaultResult& each : found.faults) {
    EXPECT_EQ(each.gross, each.gross_seen) << each.name;
    if (each.name == "flushed" || each.name == "one_step" || each.name == "row_not_stored" ||
        each.name == "other_digest")
      continue;
    EXPECT_GT(each.gross, 0U) << each.name << " was never gross";
  }
  for (const report::ControlResult& each : found.controls) {
    EXPECT_EQ(each.runs, 1U);
    EXPECT_EQ(each.green, 1U) << each.name;
  }
}

TEST_F(SelftestTest, NoGateThatIsSwitchedOffPasses) {
  const Gate off = [](report::Report& report, const gate::RuleBook&, run::Strictness) {
    report.result = report::Result::pass;
    report.exit_code = 0;
  };
  const Selftest found = run(golden(three_taps()), off);
  EXPECT_EQ(found.exit_code, 1);
  for (const FaultResult& each : found.faults) {
    EXPECT_EQ(each.seen, 0U) << each.name;
    if (each.gross == 0) continue;
    ASSERT_FALSE(each.missed.empty());
    EXPECT_FALSE(each.missed.front().case_name.empty() && each.name != "no_cases");
  }
}

TEST_F(SelftestTest, NoGateThatIsAlwaysRedPasses) {
  const Gate red = [](report::Report& report, const gate::RuleBook&, run::Strictness) {
    report.exit_code = 1;
    report.reasons = {"always"};
  };
  const Selftest found = run(golden(three_taps()), red);
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.reasons.front().find("the recording itself"), std::string::npos);
}

/// Every fault but one is seen: a gate that lacks one check is caught by the fault that it lacks.
TEST_F(SelftestTest, AGateThatLacksOneCheckIsCaughtByItsFault) {
  struct Row {
    run::Verdict forgiven;
    std::string_view fault;
  };
  for (const Row& row :
       {Row{run::Verdict::non_finite, "nan_element"}, Row{run::Verdict::diverged, "halved"},
        Row{run::Verdict::shape_differs, "other_shape"},
        Row{run::Verdict::dtype_differs, "other_dtype"}, Row{run::Verdict::missing, "missing_tap"},
        Row{run::Verdict::additional, "additional_tap"}}) {
    const Gate forgiving = [&](report::Report& report, const gate::RuleBook& policy,
                               run::Strictness strictness) {
      judge_report(report, policy, strictness);
      report::Report mild = report;
      for (report::Case& one : mild.cases) {
        for (report::Tap& tap : one.taps) {
          if (tap.verdict == row.forgiven) tap.verdict = run::Verdict::within;
        }
        for (report::Logits& logits : one.logits) {
          if (logits.verdict == row.forgiven) logits.verdict = run::Verdict::within;
        }
      }
      conclude(mild, strictness);
      report.exit_code = mild.exit_code;
      report.reasons = mild.reasons;
    };
    const Selftest found = run(golden(three_taps()), forgiving);
    EXPECT_EQ(found.exit_code, 1) << run::name(row.forgiven);
    EXPECT_FALSE(fault(found, row.fault).missed.empty()) << row.fault;
  }
}

TEST_F(SelftestTest, NamesTapFaultAndRuleOfAPolicyThatIsTooLoose) {
  SelftestRequest request = golden(three_taps());
  request.policy = gate::parse_policy(
      "name = \"loose\"\n"
      "[[rule]]\n"
      "layers = [\"blocks.1.**\"]\n"
      "dtypes = [\"float32\"]\n"
      "reason = \"found by nobody\"\n"
      "[[rule.bound]]\n"
      "metric = \"nrmse\"\n"
      "fail = 0.9\n",
      "loose.toml");
  const Selftest found = run(request);
  EXPECT_EQ(found.exit_code, 1);
  const FaultResult& halved = fault(found, "halved");
  ASSERT_EQ(halved.missed.size(), 1U);
  EXPECT_EQ(halved.missed[0].tap, "blocks.1.fc");
  EXPECT_EQ(halved.missed[0].rule, "loose.toml:2");
  EXPECT_DOUBLE_EQ(halved.missed[0].nrmse, 0.5);
  EXPECT_EQ(halved.seen, 2U);
  EXPECT_TRUE(fault(found, "sign_flipped").missed.empty());
  // The layers under the built-in rules see a factor of 0.002 %, that one from 0.9 on.
  ASSERT_EQ(found.sensitivity.size(), 2U);
  EXPECT_EQ(found.sensitivity[0].layers, "blocks.*.fc");
  EXPECT_EQ(found.sensitivity[0].factor.blindest.tap, "blocks.1.fc");
  EXPECT_NEAR(found.sensitivity[0].factor.seen_from.value(), 0.9, 0.2);
  EXPECT_EQ(found.sensitivity[0].taps, 2U);
  EXPECT_LT(found.sensitivity[1].factor.seen_from.value(), 1e-4);
}

TEST_F(SelftestTest, AChangedAnswerIsGrossHoweverSmallTheChange) {
  SelftestRequest request = golden(three_taps());
  request.policy = gate::parse_policy(
      "name = \"averages\"\n"
      "[[rule]]\n"
      "kinds = [\"output\"]\n"
      "dtypes = [\"float32\"]\n"
      "reason = \"loose\"\n"
      "[[rule.bound]]\n"
      "metric = \"nrmse\"\n"
      "fail = 0.9\n"
      "[[logits]]\n"
      "reason = \"nobody looks at answers\"\n"
      "[[logits.bound]]\n"
      "metric = \"topk_overlap\"\n"
      "fail = 0.1\n",
      "averages.toml");
  const Selftest found = run(request);
  EXPECT_EQ(found.exit_code, 1);
  ASSERT_EQ(fault(found, "flipped_choice").missed.size(), 1U);
  EXPECT_EQ(fault(found, "flipped_choice").missed[0].tap, "<output>");
}

TEST_F(SelftestTest, WarnsOfAPolicyThatRoundingCannotKeepTo) {
  SelftestRequest request = golden(three_taps());
  request.policy = gate::parse_policy(
      "name = \"exact\"\n"
      "[[rule]]\n"
      "dtypes = [\"float32\"]\n"
      "reason = \"bit for bit\"\n"
      "[[rule.bound]]\n"
      "metric = \"unequal\"\n"
      "fail = 0\n",
      "exact.toml");
  const Selftest found = run(request);
  EXPECT_EQ(found.exit_code, 0) << found.reasons.front();
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("over-strict"), std::string::npos);
  EXPECT_NE(found.notes[0].find("exact.toml:2"), std::string::npos);
}

TEST_F(SelftestTest, PutsIntoDigestsAndRowsWhatItCanAndNamesTheRest) {
  std::vector<MadeTap> taps = three_taps();
  for (MadeTap& tap : taps) tap.mode = run::StoreMode::digest;
  const Selftest digests = run(golden(taps));
  EXPECT_EQ(digests.exit_code, 0) << digests.reasons.front();
  EXPECT_EQ(fault(digests, "halved").injected, 0U);
  ASSERT_EQ(fault(digests, "halved").not_injected.size(), 1U);
  EXPECT_EQ(fault(digests, "halved").not_injected[0].reason, "its digest alone is stored");
  EXPECT_EQ(fault(digests, "halved").not_injected[0].taps, 3U);
  EXPECT_EQ(fault(digests, "other_digest").gross_seen, 3U);
  EXPECT_EQ(fault(digests, "missing_tap").gross_seen, 3U);

  for (MadeTap& tap : taps) tap.mode = run::StoreMode::rows;
  const Selftest rows = run(golden(taps));
  EXPECT_EQ(rows.exit_code, 0) << rows.reasons.front();
  EXPECT_EQ(fault(rows, "halved").gross_seen, 3U);
  EXPECT_EQ(fault(rows, "row_not_stored").injected, 3U);
  EXPECT_EQ(fault(rows, "row_not_stored").gross, 0U);
  EXPECT_EQ(fault(rows, "row_not_stored").seen, 0U);
  SelftestRequest strict = golden(taps);
  strict.strictness = run::Strictness::strict;
  EXPECT_EQ(fault(run(strict), "row_not_stored").seen, 3U);
}

TEST_F(SelftestTest, RefusesAGoldenWithoutAnythingToSpoil) {
  const SelftestRequest nothing = golden({{output(), floats({4, 8}, 3)}});
  EXPECT_EQ(run(nothing).exit_code, 0);
  // An output that is the same everywhere proves nothing: the gate is red already.
  tensor::HostTensor zeros(tensor::DType::float32, {4}, std::vector<std::byte>(16));
  const Selftest constant = run(golden({{output(), zeros}}));
  EXPECT_EQ(constant.exit_code, 1);
  EXPECT_NE(constant.reasons.front().find("the gate is red for the recording itself"),
            std::string::npos);
  SelftestRequest other = golden(three_taps());
  other.cases = {"two"};
  EXPECT_THROW((void)run(other), Error);
  other.cases = {};
  other.taps.layers = {"nothing"};
  EXPECT_THROW((void)run(other), Error);
}

TEST_F(SelftestTest, TriesTheCasesAndLayersThatItIsAskedFor) {
  SelftestRequest request = golden(three_taps(), {"one", "two"});
  EXPECT_EQ(run(request).taps, 6U);
  request.cases = {"two"};
  EXPECT_EQ(run(request).taps, 3U);
  request.taps.skip = {"blocks.0.**"};
  const Selftest found = run(request);
  EXPECT_EQ(found.taps, 2U);
  EXPECT_EQ(found.cases, 1U);
}

TEST_F(SelftestTest, TakesWhatALayerIntroducesAsItsFault) {
  SelftestRequest request = golden(three_taps());
  request.policy = gate::parse_policy(
      "name = \"introduced\"\n"
      "[[rule]]\n"
      "layers = [\"blocks.**\"]\n"
      "dtypes = [\"float32\"]\n"
      "reason = \"judged by what it adds\"\n"
      "[[rule.bound]]\n"
      "metric = \"introduced.nrmse\"\n"
      "fail = 0.00001\n",
      "introduced.toml");
  EXPECT_THROW((void)run(request), Error);
  request.attribution = AttributionPass::forced;
  const Selftest found = run(request);
  EXPECT_EQ(found.exit_code, 0) << found.reasons.front();
  EXPECT_EQ(fault(found, "halved").gross_seen, 3U);
  // A tap in excess turns the gate red for being there, not for what was not measured beside it.
  const Gate blind = [](report::Report& report, const gate::RuleBook& policy,
                        run::Strictness strictness) {
    for (report::Case& one : report.cases) {
      std::erase_if(one.taps, [](const report::Tap& tap) {
        return tap.outcome == report::Outcome::additional;
      });
    }
    judge_report(report, policy, strictness);
  };
  EXPECT_EQ(fault(run(request, blind), "additional_tap").gross_seen, 0U);
}

TEST_F(SelftestTest, GoesStaleWithTheLastOtherValueOfThatShape) {
  std::vector<MadeTap> taps = three_taps();
  // Handed on unchanged, as a module gives what its last child gave.
  taps.insert(taps.begin() + 1, {module("blocks.0"), taps[0].value});
  taps.insert(taps.begin() + 3, {module("blocks.1"), taps[2].value});
  const Selftest found = run(golden(taps));
  const FaultResult& stale = fault(found, "stale");
  EXPECT_EQ(stale.injected, 3U);
  ASSERT_EQ(stale.not_injected.size(), 1U);
  EXPECT_EQ(stale.not_injected[0].taps, 2U);
  EXPECT_EQ(stale.not_injected[0].reason, "no tap of its shape and dtype comes before it");
}

TEST_F(SelftestTest, IsTheSameEachTime) {
  const SelftestRequest request = golden(three_taps());
  EXPECT_EQ(report::to_json(run(request)), report::to_json(run(request)));
}

TEST(SmallestSeen, IsSeenAndTheNextSmallerIsNot) {
  for (const double limit : {1e-6, 0.0123, 0.5, 0.99}) {
    const auto found = smallest_seen([&](double size) { return size > limit; }, 1);
    ASSERT_TRUE(found.has_value());
    EXPECT_GT(*found, limit);
    EXPECT_LE(*found * std::exp2(-0.25), limit);
  }
  EXPECT_EQ(smallest_seen([](double) { return true; }, 1), std::exp2(-40));
  EXPECT_EQ(smallest_seen([](double size) { return size > 2; }, 1), std::nullopt);
}

}  // namespace
}  // namespace parity::pipeline
