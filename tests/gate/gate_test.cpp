#include "gate/gate.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gate/made_facts.h"

namespace parity::gate {
namespace {

using run::Strictness;
using run::Verdict;

JudgedTap tap(const std::string& path, Verdict verdict) {
  return {{run::TapKind::module, path, "", 0, ""}, verdict, 10, Content::varied};
}

std::string joined(const GateResult& result) {
  std::string text;
  for (const std::string& reason : result.reasons) text += reason + "\n";
  return text;
}

bool passed(const GateResult& result) { return result.decision == Decision::passed; }

TEST(Gate, FailsWhenNothingWasCompared) {
  const std::vector<std::vector<JudgedCase>> rows = {
      {},
      {{"a", {}, {}}},
      {{"a", {tap("x", Verdict::missing), tap("y", Verdict::additional)}, {}}},
      {{"a", {tap("x", Verdict::untested)}, {}}},
      {{"a", {tap("x", Verdict::identical)}, {}}, {"b", {}, {}}},
  };
  for (const auto& cases : rows) {
    const GateResult result = overall(cases, Strictness::normal);
    EXPECT_FALSE(passed(result)) << cases.size() << " cases";
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_NE(joined(result).find("nothing compared"), std::string::npos) << joined(result);
    EXPECT_EQ(joined(result).find("empty"), std::string::npos) << joined(result);
  }
  EXPECT_EQ(GateResult{}.decision, Decision::failed) << "a result that nobody filled in";
}

TEST(Gate, FailsWhenOnlyEmptyTensorsWereCompared) {
  JudgedTap empty = tap("x", Verdict::identical);
  empty.elements = 0;
  const GateResult result = overall({{"a", {empty}, {}}}, Strictness::normal);
  EXPECT_FALSE(passed(result));
  EXPECT_NE(joined(result).find("every tap is empty"), std::string::npos) << joined(result);
  EXPECT_TRUE(
      passed(overall({{"a", {empty, tap("y", Verdict::identical)}, {}}}, Strictness::normal)));
}

TEST(Gate, FailsWhenTheOnlyOutputIsEmpty) {
  JudgedTap empty = tap("<output>", Verdict::identical);
  empty.id.kind = run::TapKind::output;
  empty.elements = 0;
  JudgedTap scores = tap("<output>", Verdict::within);
  scores.id.kind = run::TapKind::output;
  scores.id.port = "scores";
  const JudgedTap inner = tap("x", Verdict::identical);
  const GateResult result = overall({{"a", {inner, empty}, {}}}, Strictness::normal);
  EXPECT_FALSE(passed(result)) << "inner layers do not make up for it";
  EXPECT_NE(joined(result).find("case 'a': the model's own output is empty"), std::string::npos)
      << joined(result);
  EXPECT_TRUE(passed(overall({{"a", {inner, empty, scores}, {}}}, Strictness::normal)));
  scores.verdict = Verdict::missing;
  EXPECT_NE(joined(overall({{"a", {inner, empty, scores}, {}}}, Strictness::normal)).find("empty"),
            std::string::npos)
      << "an output that was not compared is no evidence either";
}

TEST(Gate, FailsWhenEveryTapIsConstant) {
  JudgedTap constant = tap("x", Verdict::identical);
  constant.content = Content::constant;
  const GateResult result = overall({{"a", {constant, constant}, {}}}, Strictness::normal);
  EXPECT_FALSE(passed(result));
  EXPECT_NE(joined(result).find("every tap is constant"), std::string::npos) << joined(result);
  EXPECT_TRUE(
      passed(overall({{"a", {constant, tap("y", Verdict::within)}, {}}}, Strictness::normal)));
}

TEST(Gate, NamesEachFailingVerdict) {
  const std::pair<Verdict, std::string> rows[] = {
      {Verdict::diverged, "2 taps diverged"},
      {Verdict::non_finite, "2 taps with NaN or Inf on one side only"},
      {Verdict::shape_differs, "2 taps of another shape"},
      {Verdict::dtype_differs, "2 taps of another dtype"},
      {Verdict::missing, "2 taps missing"},
      {Verdict::additional, "2 taps additional"},
      {Verdict::untrusted, "2 taps untrusted"},
      {Verdict::untested, "2 taps untested"},
  };
  for (const auto& [verdict, reason] : rows) {
    const GateResult result =
        overall({{"a", {tap("good", Verdict::identical), tap("x", verdict)}, {}},
                 {"b", {tap("good", Verdict::within), tap("y", verdict)}, {}}},
                Strictness::normal);
    EXPECT_FALSE(passed(result)) << run::name(verdict);
    EXPECT_NE(joined(result).find(reason), std::string::npos) << joined(result);
    EXPECT_EQ(result.taps.failed, 2U);
    EXPECT_EQ(result.taps.passed, 2U);
  }
}

TEST(Gate, PassesTheGoodVerdictsAndSaysWhy) {
  const GateResult identical =
      overall({{"a", {tap("x", Verdict::identical)}, {}}}, Strictness::strict);
  EXPECT_TRUE(passed(identical));
  EXPECT_EQ(identical.exit_code(), 0);
  EXPECT_TRUE(identical.reasons.empty()) << joined(identical);

  const GateResult mixed = overall(
      {{"a",
        {tap("x", Verdict::identical), tap("y", Verdict::within), tap("z", Verdict::closer)},
        {}}},
      Strictness::strict);
  EXPECT_TRUE(passed(mixed));
  EXPECT_NE(joined(mixed).find("1 tap within bounds"), std::string::npos) << joined(mixed);
  EXPECT_NE(joined(mixed).find("no further from the truth than the reference"), std::string::npos)
      << joined(mixed);
  EXPECT_FALSE(mixed.first_divergence.has_value());
}

TEST(Gate, FailsSuspectTapsOnlyWhenStrict) {
  const std::vector<JudgedCase> cases = {
      {"a", {tap("x", Verdict::within), tap("y", Verdict::suspect)}, {}}};
  const GateResult normal = overall(cases, Strictness::normal);
  EXPECT_TRUE(passed(normal));
  EXPECT_EQ(normal.taps.warned, 1U);
  EXPECT_FALSE(normal.first_divergence.has_value());
  EXPECT_NE(joined(normal).find("1 tap suspect"), std::string::npos) << joined(normal);

  const GateResult strict = overall(cases, Strictness::strict);
  EXPECT_FALSE(passed(strict));
  EXPECT_EQ(strict.taps.failed, 1U);
  ASSERT_TRUE(strict.first_divergence.has_value());
  EXPECT_EQ(strict.first_divergence->tap.path, "y");
}

TEST(Gate, FailsWithoutAnOutputOfTheModelHoweverWellInnerTapsAgree) {
  const GateResult result =
      overall({{"a", {tap("x", Verdict::identical)}, {}, "it is a str"}}, Strictness::normal);
  EXPECT_EQ(result.decision, Decision::failed);
  EXPECT_EQ(result.reasons.at(0), "case 'a': the model's own output was not compared: it is a str");
}

TEST(Gate, FailsOnLogitsAlone) {
  const std::vector<JudgedCase> cases = {
      {"a",
       {tap("x", Verdict::within)},
       {{{run::TapKind::output, "<output>", "", 0, ""}, Verdict::diverged, 10, Content::varied}}}};
  const GateResult result = overall(cases, Strictness::normal);
  EXPECT_FALSE(passed(result));
  EXPECT_EQ(result.taps.failed, 0U);
  ASSERT_TRUE(result.first_divergence.has_value());
  EXPECT_EQ(result.first_divergence->tap.path, "<output>");
  EXPECT_NE(joined(result).find("logits of 1 output diverged"), std::string::npos)
      << joined(result);
}

TEST(Gate, FindsTheFirstDivergenceInExecutionOrder) {
  const std::vector<JudgedCase> cases = {
      {"a", {tap("m", Verdict::missing), tap("w", Verdict::within)}, {}},
      {"b",
       {tap("n", Verdict::missing), tap("first", Verdict::non_finite),
        tap("later", Verdict::diverged)},
       {}},
      {"c", {tap("other", Verdict::diverged)}, {}}};
  const GateResult result = overall(cases, Strictness::normal);
  ASSERT_TRUE(result.first_divergence.has_value());
  EXPECT_EQ(result.first_divergence->case_name, "b");
  EXPECT_EQ(result.first_divergence->tap.path, "first") << "a missing tap did not diverge";

  const GateResult only_missing = overall({cases[0]}, Strictness::normal);
  EXPECT_FALSE(passed(only_missing));
  EXPECT_FALSE(only_missing.first_divergence.has_value());
}

TEST(Gate, JudgesUnpairedTapsByName) {
  EXPECT_EQ(judge_unpaired(Unpaired::missing).verdict, Verdict::missing);
  EXPECT_EQ(judge_unpaired(Unpaired::additional).verdict, Verdict::additional);
  EXPECT_FALSE(judge_unpaired(Unpaired::missing).reasons.empty());
}

TEST(Gate, KnowsConstantContentFromTheFacts) {
  compare::TensorComparison facts = gate_test::identical_facts();
  EXPECT_EQ(content_of(facts), Content::varied);
  facts.reference_constant = true;
  EXPECT_EQ(content_of(facts), Content::constant);
  facts.reference_constant = false;
  facts.reference_all_nan = true;
  EXPECT_EQ(content_of(facts), Content::constant);
  EXPECT_EQ(content_of(compare::DigestMatch{}), Content::varied);
}

}  // namespace
}  // namespace parity::gate
