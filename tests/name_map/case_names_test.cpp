// Names of one case: the first rule counts, parts know their whole, what no rule names keeps its
// name.
#include "name_map/case_names.h"

#include "name_map/name_map_file.h"
#include <gtest/gtest.h>

namespace parity::name_map {
namespace {

run::TapId module(const std::string& path, std::int64_t call = 0) {
  return {run::TapKind::module, path, "", call, ""};
}

std::vector<run::TapRecord> recorded(const std::vector<run::TapId>& ids) {
  std::vector<run::TapRecord> taps;
  for (const run::TapId& id : ids) {
    taps.emplace_back();
    taps.back().id = id;
  }
  return taps;
}

TEST(CaseNames, KeepEveryNameWithoutAMap) {
  const CaseNames names(nullptr, recorded({module("a")}));
  EXPECT_EQ(names.of(module("b")).rule, nullptr);
  EXPECT_EQ(names.of(module("b")).golden, std::vector{module("b")});
}

TEST(CaseNames, GoByTheFirstRuleThatMatches) {
  const NameMap map = parse_name_map(
      "[[rename]]\ncandidate = 'a'\ngolden = 'first'\n"
      "[[rename]]\ncandidate = '.'\ngolden = 'second'\n",
      "m.toml");
  const CaseNames names(&map, {});
  EXPECT_EQ(names.of(module("a")).golden, std::vector{module("first")});
  EXPECT_EQ(names.of(module("b")).golden, std::vector{module("second")});
  EXPECT_EQ(names.of(module("bb")).golden, std::vector{module("bb")});
}

TEST(CaseNames, IgnoreWhatARuleSays) {
  const NameMap map = parse_name_map(
      "[[ignore]]\ncandidate = 'a:1'\n[[rename]]\ncandidate = 'a'\ngolden = 'b'\n", "m.toml");
  const CaseNames names(&map, {});
  const Named ignored = names.of({run::TapKind::module, "a", "", 0, "1"});
  EXPECT_EQ(ignored.rule, &map.rules[0]);
  EXPECT_TRUE(ignored.golden.empty());
  EXPECT_EQ(names.of({run::TapKind::module, "a", "", 0, "0"}).rule, &map.rules[1]);
}

TEST(CaseNames, LeaveOutWhatARuleSaysButNoOutput) {
  const NameMap map = parse_name_map("[[leave_out]]\ngolden = '.*'\n", "m.toml");
  const run::TapId output{run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  const CaseNames names(&map, recorded({module("a"), module("b", 1), output}));
  EXPECT_EQ(names.left_out().size(), 2U);
  EXPECT_EQ(names.left_out().count(output), 0U);
  EXPECT_EQ(names.of(module("a")).golden, std::vector{module("a")});
}

TEST(CaseNames, SplitIntoSeveral) {
  const NameMap map =
      parse_name_map("[[split]]\ncandidate = '(.*)\\.kv'\ngolden = ['$1.k', '$1.v']\n", "m.toml");
  const CaseNames names(&map, {});
  EXPECT_EQ(names.of(module("x.kv", 1)).golden, (std::vector{module("x.k", 1), module("x.v", 1)}));
}

TEST(CaseNames, FindTheWholeOfAPartByTheGoldensNames) {
  const NameMap map =
      parse_name_map("[[concat]]\ngolden = '(.*)\\.kv'\ncandidate = ['$1.k', '$1.v']\n", "m.toml");
  const CaseNames names(&map, recorded({module("x.kv"), module("x.kv", 1)}));
  const Named second = names.of(module("x.v", 1));
  EXPECT_EQ(second.golden, std::vector{module("x.kv", 1)});
  EXPECT_EQ(second.part, 1U);
  EXPECT_NE(second.rule, nullptr);
  EXPECT_EQ(names.of(module("y.v")).rule, nullptr) << "the golden has no y.kv";
}

}  // namespace
}  // namespace parity::name_map
