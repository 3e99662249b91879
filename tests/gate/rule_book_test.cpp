// Which rule judges a tap, what it is then held to, and rules that have nothing to judge.
#include "gate/rule_book.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/late_bounds.h"
#include "gate/made_facts.h"
#include "gate/policy_file.h"
#include "gate/rule_check.h"
#include "gate/rules_digest.h"

namespace parity::gate {
namespace {

using run::TapKind;
using run::Verdict;
using tensor::DType;

run::TapId module(const std::string& path) { return {TapKind::module, path, "", 0, ""}; }
run::TapId op(const std::string& path, const std::string& name) {
  return {TapKind::op, path, name, 0, ""};
}

/// One rule of these keys.
RuleBook book_with(const std::string& keys, const std::string& bounds = "") {
  const std::string bound =
      bounds.empty() ? "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n" : bounds;
  return parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n" + keys + "\n" + bound, "p.toml");
}

TEST(RuleBook, JudgesATapByTheFirstRuleThatMatches) {
  const std::string prose = "prose-1";
  const struct {
    std::string keys;
    run::TapId tap;
    DType dtype;
    std::string rule;
  } rows[] = {
      {"", module("a"), DType::float32, "p.toml:2"},
      {"", module("a"), DType::int64, "default/int64"},
      {"dtypes = [\"int64\"]", module("a"), DType::int64, "p.toml:2"},
      {"dtypes = [\"int64\"]", module("a"), DType::float32, "default/float32"},
      {"layers = [\"m.*.attn/**\"]", op("m.3.attn", "aten.softmax"), DType::bfloat16, "p.toml:2"},
      {"layers = [\"m.*.attn/**\"]", module("m.3.attn"), DType::bfloat16, "default/bfloat16"},
      {"layers = [\"m.*.attn\"]", op("m.3.attn", "aten.softmax"), DType::bfloat16, "p.toml:2"},
      {"layers = [\"x\", \"m.?.attn\"]", module("m.3.attn"), DType::bfloat16, "p.toml:2"},
      {"kinds = [\"op\"]", module("a"), DType::float32, "default/float32"},
      {"kinds = [\"op\"]", op("a", "aten.mm"), DType::float32, "p.toml:2"},
      {"ops = [\"aten.soft*\"]", op("a", "aten.softmax"), DType::float32, "p.toml:2"},
      {"ops = [\"aten.soft*\"]", op("a", "aten.mm"), DType::float32, "default/float32"},
      {"ops = [\"**\"]", module("a"), DType::float32, "default/float32"},
      {"cases = [\"prose*\"]", module("a"), DType::float32, "p.toml:2"},
      {"cases = [\"code*\"]", module("a"), DType::float32, "default/float32"},
      {"cases = [\"prose*\"]\nkinds = [\"op\"]", module("a"), DType::float32, "default/float32"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(limits_for(book_with(row.keys), {row.tap, row.dtype, prose}).rule_id(), row.rule)
        << row.keys << " on " << run::to_string(row.tap);
  }
}

TEST(RuleBook, ReplacesTheDefaultsBoundsAsAWhole) {
  const RuleBook book = book_with("layers = [\"a\"]");
  const std::string name = "c";
  const Limits limits = limits_for(book, {module("a"), DType::float32, name});
  const DTypePolicy& own = limits.policy.for_dtype(DType::float32);
  ASSERT_EQ(own.bounds.size(), 1U);
  EXPECT_EQ(own.bounds[0].fail, 0.5);
  EXPECT_EQ(own.truth_factor, 2);
  EXPECT_EQ(limits_for(book, {module("a"), DType::bfloat16, name})
                .policy.for_dtype(DType::bfloat16)
                .truth_factor,
            3);
}

TEST(RuleBook, LeavesATapWithoutARuleUntested) {
  const RuleBook book = parse_policy(
      "name = \"p\"\nbase = \"none\"\n[[rule]]\nreason = \"r\"\nlayers = [\"b\"]\n"
      "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n",
      "p.toml");
  const std::string name = "c";
  const Limits limits = limits_for(book, {module("a"), DType::float32, name});
  EXPECT_EQ(limits.rule, nullptr);
  EXPECT_EQ(judge(gate_test::noisy_facts(1e-9), TapKind::module, limits.policy).verdict,
            Verdict::untested);
  EXPECT_EQ(
      judge_logits(gate_test::close_logits(), logits_limits_for(book, module("a"), name).policy)
          .verdict,
      Verdict::untested);
}

TEST(DefaultRules, GiveEveryDtypeWhatTheDefaultPolicyGivesIt) {
  const std::string name = "c";
  for (const DTypePolicy& wanted : default_policy().dtypes) {
    const Limits limits = limits_for(default_rules(), {module("a"), wanted.dtype, name});
    const DTypePolicy& given = limits.policy.for_dtype(wanted.dtype);
    EXPECT_EQ(given.truth_factor, wanted.truth_factor) << tensor::name(wanted.dtype);
    ASSERT_EQ(given.bounds.size(), wanted.bounds.size()) << tensor::name(wanted.dtype);
    for (std::size_t i = 0; i < wanted.bounds.size(); ++i) {
      EXPECT_EQ(given.bounds[i].metric, wanted.bounds[i].metric);
      EXPECT_EQ(given.bounds[i].warn, wanted.bounds[i].warn);
      EXPECT_EQ(given.bounds[i].fail, wanted.bounds[i].fail);
    }
  }
  EXPECT_EQ(logits_limits_for(default_rules(), module("a"), name).policy.logits.size(),
            default_policy().logits.size());
  EXPECT_NO_THROW(validate(default_rules()));
}

/// The message of check_against for taps a and b in float32 and `<output>` with logits in bfloat16.
std::string objection(const RuleBook& book) {
  const run::TapId output{TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  try {
    check_against(book, {{module("a"), DType::float32, "prose"},
                         {module("b"), DType::float32, "prose"},
                         {output, DType::bfloat16, "prose", run::Role::logits}});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(CheckAgainst, RefusesRulesThatHaveNothingToJudge) {
  const std::string bound = "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n";
  const std::string logits = "[[logits]]\nreason = \"r\"\n";
  const std::string kl = "[[logits.bound]]\nmetric = \"kl.max\"\nfail = 0.5\n";
  const std::string first = "name = \"p\"\n[[rule]]\nreason = \"r\"\n";
  const struct {
    std::string text;
    std::string message;
  } rows[] = {
      {first + "layers = [\"a\"]\n" + bound, ""},
      {first + "layers = [\"c\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + "layers = [\"c\"]\noptional = true\n" + bound, ""},
      {first + "cases = [\"code\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + "dtypes = [\"float16\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + bound + "[[rule]]\nreason = \"r\"\nlayers = [\"a\"]\n" + bound,
       "p.toml:7: the rule judges no tap: all that it matches are judged by p.toml:2"},
      {first + "layers = [\"a\"]\n" + bound + "[[rule]]\nreason = \"r\"\n" + bound, ""},
      {first + "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 1e-3\n",
       "p.toml:4: a fail limit of 0.001 on nrmse is below half a unit roundoff of bfloat16"},
      {"name = \"p\"\n" + logits + kl, ""},
      {"name = \"p\"\n" + logits + "layers = [\"a\"]\n" + kl,
       "p.toml:2: the rule matches no logits"},
      {"name = \"p\"\n" + logits + "cases = [\"code\"]\n" + kl,
       "p.toml:2: the rule matches no logits"},
  };
  for (const auto& row : rows) {
    const std::string message = objection(parse_policy(row.text, "p.toml"));
    EXPECT_EQ(message.rfind(row.message, 0), 0U) << row.text << "\n" << message;
    EXPECT_EQ(message.empty(), row.message.empty()) << row.text << "\n" << message;
  }
  EXPECT_EQ(objection(default_rules()), "");
}

TEST(CheckMeasured, RefusesBoundsOnWhatIsNotMeasured) {
  const RuleBook introduced =
      book_with("", "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 0.1\n");
  const RuleBook ratio = book_with("", "[[rule.bound]]\nmetric = \"truth.ratio\"\nfail = 2\n");
  EXPECT_NO_THROW(check_measured(introduced, Measured::yes, Measured::no));
  EXPECT_THROW(check_measured(introduced, Measured::no, Measured::yes), Error);
  EXPECT_NO_THROW(check_measured(ratio, Measured::no, Measured::yes));
  EXPECT_THROW(check_measured(ratio, Measured::yes, Measured::no), Error);
  EXPECT_NO_THROW(check_measured(default_rules(), Measured::no, Measured::no));
}

Limits limits_with(const std::string& bounds) {
  static RuleBook book;
  static const std::string name = "c";
  book = book_with("", bounds);
  return limits_for(book, {module("a"), DType::float32, name});
}

TEST(Introduced, IsJudgedByItsOwnBoundsAndNeverMakesAVerdictBetter) {
  const Limits limits =
      limits_with("[[rule.bound]]\nmetric = \"introduced.nrmse\"\nwarn = 1e-4\nfail = 1e-3\n");
  const struct {
    Verdict before;
    double nrmse;
    Verdict after;
  } rows[] = {
      {Verdict::within, 1e-5, Verdict::within},
      {Verdict::within, 5e-4, Verdict::suspect},
      {Verdict::within, 5e-3, Verdict::diverged},
      {Verdict::identical, 5e-3, Verdict::diverged},
      {Verdict::closer, 5e-3, Verdict::diverged},
      {Verdict::diverged, 1e-5, Verdict::diverged},
      {Verdict::non_finite, 5e-3, Verdict::non_finite},
      {Verdict::within, std::numeric_limits<double>::quiet_NaN(), Verdict::diverged},
  };
  for (const auto& row : rows) {
    const compare::TensorComparison facts = gate_test::noisy_facts(row.nrmse);
    EXPECT_EQ(judge_introduced({row.before, {}}, limits, &facts, DType::float32, nullptr).verdict,
              row.after)
        << run::name(row.before) << " with " << row.nrmse;
  }
  EXPECT_EQ(
      judge_introduced({Verdict::within, {}}, limits, nullptr, DType::float32, nullptr).verdict,
      Verdict::untested);
  compare::TensorComparison with_nan = gate_test::noisy_facts(1e-5);
  with_nan.classes.finite -= 1;
  with_nan.classes.nan_candidate_only = 1;
  const Judgement judgement =
      judge_introduced({Verdict::within, {}}, limits, &with_nan, DType::float32, nullptr);
  EXPECT_EQ(judgement.verdict, Verdict::non_finite);
  ASSERT_EQ(judgement.reasons.size(), 1U);
  EXPECT_EQ(judgement.reasons[0].rfind("introduced.", 0), 0U) << judgement.reasons[0];
}

TEST(Introduced, AloneLeavesTheFreeRunningTapUnbounded) {
  const Limits limits = limits_with("[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 1e-3\n");
  TapRules rules;
  rules.other_bounds = limits.other_bounds();
  EXPECT_EQ(judge(gate_test::noisy_facts(0.5), TapKind::module, limits.policy, rules).verdict,
            Verdict::within);
}

TEST(TruthRatio, IsJudgedWithOneRoundingAsItsFloor) {
  const Limits limits =
      limits_with("[[rule.bound]]\nmetric = \"truth.ratio\"\nwarn = 2\nfail = 4\n");
  const struct {
    double reference;
    double candidate;
    Verdict after;
  } rows[] = {
      {1e-4, 1.9e-4, Verdict::within},
      {1e-4, 3e-4, Verdict::suspect},
      {1e-4, 5e-4, Verdict::diverged},
      {0, 5e-8, Verdict::within},
      {0, 1e-4, Verdict::diverged},
      {1e-4, std::numeric_limits<double>::quiet_NaN(), Verdict::diverged},
  };
  for (const auto& row : rows) {
    TruthErrors errors;
    errors.reference.nrmse = row.reference;
    errors.candidate.nrmse = row.candidate;
    EXPECT_EQ(judge_truth_ratio({Verdict::within, {}}, limits, &errors, DType::float32).verdict,
              row.after)
        << row.candidate << " of " << row.reference;
  }
  EXPECT_EQ(judge_truth_ratio({Verdict::within, {}}, limits, nullptr, DType::float32).verdict,
            Verdict::untested);
  EXPECT_EQ(judge_truth_ratio({Verdict::identical, {}}, limits, nullptr, DType::float32).verdict,
            Verdict::identical);
}

TEST(RulesDigest, IsOfWhatJudgesAndOfNothingElse) {
  const auto digest = [](const std::string& text) {
    return digest_of_rules(parse_policy(text, "p.toml"));
  };
  const std::string head = "name = \"p\"\nbase = \"none\"\n";
  const std::string first =
      "[[rule]]\nreason = \"r\"\nlayers = [\"a.*\"]\n"
      "[[rule.bound]]\nmetric = \"nrmse\"\nwarn = 0.25\nfail = 0.5\n";
  const std::string second =
      "[[rule]]\nreason = \"s\"\n"
      "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.75\n";
  const tensor::Digest whole = digest(head + first + second);
  const auto changed = [&](const std::string& before, const std::string& after) {
    std::string text = head + first + second;
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return digest(text.replace(at, before.size(), after));
  };
  EXPECT_EQ(changed("name = \"p\"", "# a remark\nname = \"q\""), whole);
  EXPECT_EQ(changed("reason = \"r\"", "reason = \"another\""), whole);
  EXPECT_NE(changed("fail = 0.5", "fail = 0.50000001"), whole);
  EXPECT_NE(changed("warn = 0.25", "warn = 0.125"), whole);
  EXPECT_NE(changed("a.*", "b.*"), whole);
  EXPECT_NE(changed("layers = [\"a.*\"]", "cases = [\"a.*\"]"), whole);
  EXPECT_NE(changed("base = \"none\"\n", ""), whole);
  EXPECT_NE(digest(head + second + first), whole) << "the first rule that matches judges";
  EXPECT_EQ(digest_of_rules(default_rules()), digest_of_rules(default_rules()));
}

}  // namespace
}  // namespace parity::gate
