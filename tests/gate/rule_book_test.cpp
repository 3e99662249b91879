// Which rule judges a tap, and what it is then held to.
#include "gate/rule_book.h"

#include <string>

#include <gtest/gtest.h>

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
  const std::string late = "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 0.5\n";
  EXPECT_NE(digest(head + first + late + "optional = true\n"), digest(head + first + late));
  EXPECT_EQ(digest_of_rules(default_rules()), digest_of_rules(default_rules()));
}

}  // namespace
}  // namespace parity::gate
