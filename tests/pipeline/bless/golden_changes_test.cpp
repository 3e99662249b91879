#include "pipeline/bless/golden_changes.h"

#include <gtest/gtest.h>

#include "pipeline/bless/written_golden.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using test::weight;
using test::WrittenGolden;

class GoldenChanges : public testing::Test {
 protected:
  [[nodiscard]] golden_store::GoldenReader written(const std::string& name,
                                                   const WrittenGolden& golden) const {
    test::write_golden(folder_.path() / name, golden);
    return golden_store::GoldenReader(folder_.path() / name);
  }

  [[nodiscard]] std::vector<report::TapChange> taps(const std::vector<test::WrittenTap>& before,
                                                    const std::vector<test::WrittenTap>& after) {
    return tap_changes(written("old.h5", {{{"one", before}}}),
                       written("new.h5", {{{"one", after}}}));
  }
  [[nodiscard]] std::vector<report::CaseChange> cases(const std::vector<test::WrittenCase>& before,
                                                      const std::vector<test::WrittenCase>& after) {
    return case_changes(written("old.h5", {before}), written("new.h5", {after}));
  }

  test::TemporaryFolder folder_;
};

/// "what names count first" of each.
std::vector<std::string> told(const std::vector<report::WeightChange>& changes) {
  std::vector<std::string> lines;
  for (const report::WeightChange& one : changes)
    lines.push_back(one.what + " " + one.names + " " + std::to_string(one.count) + " " + one.first);
  return lines;
}

/// "what layers taps: old -> new" of each.
std::vector<std::string> told(const std::vector<report::TapChange>& changes) {
  std::vector<std::string> lines;
  for (const report::TapChange& one : changes) {
    lines.push_back(one.what + " " + one.layers + " " + std::to_string(one.taps) + ": " +
                    one.before + " -> " + one.after);
  }
  return lines;
}

std::vector<std::string> told(const std::vector<report::CaseChange>& changes) {
  std::vector<std::string> lines;
  for (const report::CaseChange& one : changes)
    lines.push_back(one.what + " " + one.case_name + ": " + one.before + " -> " + one.after);
  return lines;
}

using Lines = std::vector<std::string>;
const std::vector<float> kValues = {1, 2, 3, 4};

TEST_F(GoldenChanges, WeightsOfLikeNamesThatChangedAlikeAreOneChange) {
  run::ModelDescription before;
  run::ModelDescription after;
  before.weights = {weight("layers.0.up", 1), weight("layers.1.up", 1), weight("layers.2.up", 1),
                    weight("old.0", 1)};
  after.weights = {weight("layers.0.up", 1), weight("layers.1.up", 2), weight("layers.2.up", 3),
                   weight("new", 1)};
  EXPECT_EQ(
      told(weight_changes(before, after)),
      (Lines{"changed layers.*.up 2 layers.1.up", "removed old.* 1 old.0", "added new 1 new"}));
  EXPECT_EQ(told(weight_changes(before, before)), Lines{});
}

TEST_F(GoldenChanges, AWeightOfAnotherShapeChangedThoughItsBytesAreTheSame) {
  run::ModelDescription before;
  before.weights = {weight("up", 1)};
  run::ModelDescription after = before;
  after.weights[0].shape = {1, 1};
  EXPECT_EQ(told(weight_changes(before, after)), Lines{"changed up 1 up"});
}

TEST_F(GoldenChanges, TheSameTapsAreNoChange) {
  EXPECT_EQ(told(taps({{"a", kValues}, {"b", kValues}}, {{"a", kValues}, {"b", {9, 9, 9, 9}}})),
            Lines{});
}

TEST_F(GoldenChanges, TapsAddedAndRemovedAreGroupedByNamesWithoutNumbers) {
  const auto changes = taps({{"a", kValues}, {"old.1", kValues}, {"old.2", kValues}},
                            {{"a", kValues}, {"new", kValues}});
  EXPECT_EQ(told(changes), (Lines{"removed old.* 2:  -> ", "added new 1:  -> "}));
  EXPECT_EQ(changes[0].first.tap.path, "old.1");
  EXPECT_EQ(changes[0].first.case_name, "one");
}

TEST_F(GoldenChanges, ATapOfAnotherShapeSaysBoth) {
  EXPECT_EQ(told(taps({{"a", kValues, {4}}}, {{"a", kValues, {2, 2}}})),
            Lines{"reshaped a 1: 4 -> 2x2"});
}

TEST_F(GoldenChanges, ATapStoredOtherwiseSaysHow) {
  EXPECT_EQ(
      told(taps({{"a", kValues}, {"b", kValues}}, {{"a", kValues, {}, true}, {"b", kValues}})),
      Lines{"stored a 1: full -> digest"});
}

TEST_F(GoldenChanges, AnotherOrderIsAChangeOfThoseThatMoved) {
  const std::vector<test::WrittenTap> before = {{"a", kValues}, {"b", kValues}, {"c", kValues}};
  const std::vector<test::WrittenTap> after = {{"b", kValues}, {"a", kValues}, {"c", kValues}};
  EXPECT_EQ(told(taps(before, after)), (Lines{"order a 1:  -> ", "order b 1:  -> "}));
}

TEST_F(GoldenChanges, ATapMoreInTheMiddleMovesNoOther) {
  EXPECT_EQ(told(taps({{"a", kValues}, {"c", kValues}},
                      {{"a", kValues}, {"b", kValues}, {"c", kValues}})),
            Lines{"added b 1:  -> "});
}

TEST_F(GoldenChanges, CasesAddedRemovedAndWithOtherInputs) {
  EXPECT_EQ(told(cases({{"old", {{"a", kValues}}}, {"both", {{"a", kValues}}, 1}},
                       {{"both", {{"a", kValues}}, 2}, {"new", {{"a", kValues}}}})),
            (Lines{"removed old:  -> ", "inputs both:  -> ", "added new:  -> "}));
}

TEST_F(GoldenChanges, ATruthThatIsGoneIsSaid) {
  EXPECT_EQ(told(cases({{"one", {{"a", kValues}}, 1, {1, 2, 3, 4}}}, {{"one", {{"a", kValues}}}})),
            Lines{"truth one: float64 -> "});
}

TEST_F(GoldenChanges, TapsOfACaseThatOneLacksAreTheCasesAlone) {
  const auto before = written("old.h5", {{{"old", {{"a", kValues}}}}});
  const auto after = written("new.h5", {{{"new", {{"b", kValues}}}}});
  EXPECT_EQ(told(tap_changes(before, after)), Lines{});
}

}  // namespace
}  // namespace parity::pipeline
