// Rules against names: what they match, and what becomes of call, port, op and weights.
#include "name_map/name_map.h"

#include "name_map/name_map_file.h"
#include <gtest/gtest.h>

namespace parity::name_map {
namespace {

std::vector<run::TapId> ids_of(const Rule& rule, const run::TapId& id) {
  return named_by(rule, id).value_or(std::vector<run::TapId>{});
}

run::TapId module(const std::string& path, std::int64_t call = 0, const std::string& port = "") {
  return {run::TapKind::module, path, "", call, port};
}

Rule rename(const std::string& candidate, const std::string& golden) {
  return {RuleKind::rename, 1, Pattern(candidate), {golden}, 1};
}

TEST(NamedBy, NeedsTheWholeName) {
  const Rule rule = rename("decoder\\.(\\d+)", "model.layers.$1");
  EXPECT_EQ(ids_of(rule, module("decoder.3")), std::vector{module("model.layers.3")});
  EXPECT_TRUE(ids_of(rule, module("decoder.3.mlp")).empty());
  EXPECT_TRUE(ids_of(rule, module("my.decoder.3")).empty());
}

TEST(NamedBy, KeepsTheCall) {
  EXPECT_EQ(ids_of(rename("a", "b"), module("a", 4)), std::vector{module("b", 4)});
}

TEST(NamedBy, SeesThePortFirstAndKeepsOneThatItDoesNotName) {
  EXPECT_EQ(ids_of(rename("norm", "n"), module("norm", 0, "1")), std::vector{module("n", 0, "1")});
  EXPECT_EQ(ids_of(rename("norm:0", "n"), module("norm", 0, "0")), std::vector{module("n")});
  EXPECT_EQ(ids_of(rename("norm", "n:hidden"), module("norm", 2)),
            std::vector{module("n", 2, "hidden")});
  EXPECT_TRUE(ids_of(rename("norm:0", "n"), module("norm", 0, "1")).empty());
}

TEST(NamedBy, TurnsOperatorsAndOutputsIntoWhatTheRuleSays) {
  const run::TapId op{run::TapKind::op, "attn", "aten.softmax", 1, ""};
  const std::vector<run::TapId> as_op = ids_of(rename("attn/aten\\.(.*)", "self_attn/my.$1"), op);
  ASSERT_EQ(as_op.size(), 1U);
  EXPECT_EQ(as_op[0], (run::TapId{run::TapKind::op, "self_attn", "my.softmax", 1, ""}));
  EXPECT_EQ(ids_of(rename("attn/aten.softmax", "probabilities"), op)[0],
            module("probabilities", 1));
  EXPECT_EQ(ids_of(rename("lm_head", "<output>"), module("lm_head"))[0].kind, run::TapKind::output);
}

TEST(NamedBy, MatchesALongNameToo) {
  EXPECT_FALSE(ids_of(rename(".*", "x"), module(std::string(1U << 20U, 'a'))).empty());
}

// A matcher that tries every way needs 2^n steps for the first, which is a natural thing to write.
TEST(NamedBy, NeedsNoTimeForAnExpressionWithManyWaysToMatch) {
  const std::string path = "model.layers.10.mlp.experts.107.shared_expert_gate.down_projection";
  EXPECT_TRUE(ids_of(rename("([a-z_0-9]+\\.?)+gate_up_proj", "x"), module(path)).empty());
  EXPECT_FALSE(ids_of(rename("([a-z_0-9]+\\.?)+down_projection", "x"), module(path)).empty());
  EXPECT_TRUE(ids_of(rename("(a|aa)+b", "x"), module(std::string(1U << 16U, 'a'))).empty());
}

TEST(NamedBy, ReplacesAGroupThatTookNoPartByNothing) {
  EXPECT_EQ(ids_of(rename("(model\\.)?(x)", "$1$2.y"), module("x")), std::vector{module("x.y")});
}

TEST(NamedBy, TellsWhatIsIgnoredFromWhatDoesNotMatch) {
  const Rule rule{RuleKind::ignore, 1, Pattern("a\\.\\d"), {}, 1};
  ASSERT_TRUE(named_by(rule, module("a.1")).has_value());
  EXPECT_TRUE(named_by(rule, module("a.1", 0, "0"))->empty());
  EXPECT_FALSE(named_by(rule, module("a.b")).has_value());
}

TEST(HighestGroup, TellsDollarsApart) {
  EXPECT_EQ(highest_group("a.b"), 0U);
  EXPECT_EQ(highest_group("$1.b$3"), 3U);
  EXPECT_EQ(highest_group("a$$1"), 0U);
  EXPECT_EQ(highest_group("a$"), std::nullopt);
  EXPECT_EQ(highest_group("$x"), std::nullopt);
  EXPECT_EQ(expanded("$2-$$1-$0", {"all", "one", "two"}), "two-$1-all");
}

TEST(Renamed, NamesWeightsByTheirLayers) {
  const NameMap map = parse_name_map(
      "[[rename]]\ncandidate = 'net\\.(.*)'\ngolden = 'model.$1'\n"
      "[[split]]\ncandidate = '(.*)\\.qkv'\ngolden = ['$1.q', '$1.k']\n",
      "m.toml");
  run::ModelDescription model;
  for (const char* name : {"net.0.weight", "other.bias", "scale"})
    model.weights.push_back({name, tensor::DType::float32, {1}, {}});
  const run::ModelDescription mapped = renamed(map, model);
  ASSERT_EQ(mapped.weights.size(), 3U);
  EXPECT_EQ(mapped.weights[0].name, "model.0.weight");
  EXPECT_EQ(mapped.weights[1].name, "other.bias");
  EXPECT_EQ(mapped.weights[2].name, "scale");
}

TEST(Renamed, LeavesTheNameToTheFirstWeightThatHasIt) {
  const NameMap map = parse_name_map("[[rename]]\ncandidate = '[ab]'\ngolden = 'c'\n", "m.toml");
  run::ModelDescription model;
  for (const char* name : {"a.w", "b.w"})
    model.weights.push_back({name, tensor::DType::float32, {1}, {}});
  const run::ModelDescription mapped = renamed(map, model);
  EXPECT_EQ(mapped.weights[0].name, "b.w");
  EXPECT_EQ(mapped.weights[1].name, "c.w");
}

std::vector<std::string> renamed_weights(const std::string& rules,
                                         const std::vector<std::string>& names) {
  run::ModelDescription model;
  for (const std::string& name : names)
    model.weights.push_back({name, tensor::DType::float32, {1}, {}});
  std::vector<std::string> result;
  for (const run::WeightDigest& weight : renamed(parse_name_map(rules, "m.toml"), model).weights)
    result.push_back(weight.name);
  return result;
}

TEST(Renamed, HidesNoWeightBehindAnotherOfItsNewName) {
  const std::string to_b = "[[rename]]\ncandidate = 'a'\ngolden = 'b'\n";
  EXPECT_EQ(renamed_weights(to_b, {"a.w", "b.w"}), (std::vector<std::string>{"a.w", "b.w"}));
  const std::string chain = to_b + "[[rename]]\ncandidate = 'b'\ngolden = 'c'\n";
  EXPECT_EQ(renamed_weights(chain, {"a.w", "b.w"}), (std::vector<std::string>{"b.w", "c.w"}));
  EXPECT_EQ(renamed_weights(chain, {"a.w", "b.w", "c.w"}),
            (std::vector<std::string>{"a.w", "b.w", "c.w"}));
}

TEST(Renamed, LetsLayersChangePlaces) {
  const std::string swap =
      "[[rename]]\ncandidate = 'a'\ngolden = 'b'\n[[rename]]\ncandidate = 'b'\ngolden = 'a'\n";
  EXPECT_EQ(renamed_weights(swap, {"a.only", "b.w"}), (std::vector<std::string>{"a.w", "b.only"}));
  EXPECT_EQ(renamed_weights(swap, {"a.w", "b.w"}), (std::vector<std::string>{"a.w", "b.w"}));
}

}  // namespace
}  // namespace parity::name_map
