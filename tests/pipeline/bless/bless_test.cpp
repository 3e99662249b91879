#include "pipeline/bless/bless.h"

#include <limits>

#include <gtest/gtest.h>

#include "error/error.h"
#include "pipeline/bless/written_golden.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using test::weight;
using test::WrittenCase;
using test::WrittenGolden;

class Bless : public testing::Test {
 protected:
  [[nodiscard]] report::Blessing blessing(const WrittenGolden& before, const WrittenGolden& after,
                                          run::Strictness strictness = run::Strictness::normal) {
    test::write_golden(folder_.path() / "old.h5", before);
    test::write_golden(folder_.path() / "new.h5", after);
    BlessRequest request;
    request.before = folder_.path() / "old.h5";
    request.after = folder_.path() / "new.h5";
    request.strictness = strictness;
    request.command = "parity bless old.h5 new.h5";
    NoProgress progress;
    return bless(request, progress);
  }

  test::TemporaryFolder folder_;
};

const std::vector<float> kFirst = {1, 2, 3, 4};
const std::vector<float> kSecond = {5, 6, 7, 9};

WrittenGolden golden(const std::vector<float>& first) {
  return {{{"one", {{"fc.0", first}, {"fc.1", first}, {"<output>", kSecond}}}}};
}

TEST_F(Bless, RecordedAgainWithTheSameBitsIsNothingOfNote) {
  const report::Blessing found = blessing(golden(kFirst), golden(kFirst));
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_EQ(found.reasons, std::vector<std::string>{});
  EXPECT_EQ(found.compared, 3U);
  EXPECT_EQ(found.identical, 3U);
  EXPECT_TRUE(found.values.empty());
  EXPECT_EQ(found.changes_entry.find("## new.h5: recorded again, values unchanged\n"), 0U);
  EXPECT_NE(found.changes_entry.find("3 of 3 taps identical"), std::string::npos);
  EXPECT_EQ(found.repro, "parity bless old.h5 new.h5");
}

TEST_F(Bless, ValuesOutsideTheirBoundsAreOneGroupWithTheLargestAndItsPlace) {
  WrittenGolden after = golden(kFirst);
  after.cases[0].taps[0].values[2] = 3.5F;
  after.cases[0].taps[1].values[2] = 4.5F;
  const report::Blessing found = blessing(golden(kFirst), after);
  EXPECT_EQ(found.exit_code, 1);
  ASSERT_EQ(found.values.size(), 1U);
  const report::ValueChange& change = found.values[0];
  EXPECT_EQ(change.verdict, run::Verdict::diverged);
  EXPECT_EQ(change.layers, "fc.*");
  EXPECT_EQ(change.taps, 2U);
  EXPECT_EQ(change.measured, 2U);
  EXPECT_EQ(change.nrmse_at.tap.path, "fc.1");
  EXPECT_EQ(change.max_ulp_at.tap.path, "fc.1");
  EXPECT_EQ(found.reasons, std::vector<std::string>{"2 taps diverged"});
  EXPECT_EQ(found.changes_entry.find("## new.h5: recorded anew\n"), 0U);
}

TEST_F(Bless, ANanIsAsFarAsCanBe) {
  WrittenGolden after = golden(kFirst);
  after.cases[0].taps[0].values = {std::numeric_limits<float>::quiet_NaN(), 2, 3, 4};
  const report::Blessing found = blessing(golden(kFirst), after);
  EXPECT_EQ(found.exit_code, 1);
  ASSERT_EQ(found.values.size(), 1U);
  EXPECT_EQ(found.values[0].nrmse_at.tap.path, "fc.0");
}

TEST_F(Bless, WhatIsOtherThanValuesIsAReasonOfItsOwn) {
  struct Row {
    const char* reason;
    WrittenGolden after;
  };
  std::vector<Row> rows;
  WrittenGolden changed = golden(kFirst);
  changed.weights = {weight("w", 2)};
  rows.push_back({"1 weight not the same", changed});
  changed = golden(kFirst);
  changed.weights = {weight("w", 1)};
  changed.kind = "decoder:llama";
  rows.push_back({"the model is of another kind", changed});
  changed = golden(kFirst);
  changed.weights = {weight("w", 1)};
  changed.cases[0].inputs = 2;
  rows.push_back({"1 case with other inputs", changed});
  changed.cases[0].inputs = 1;
  changed.cases.push_back({"two", {{"<output>", kFirst}}});
  rows.push_back({"1 case added", changed});
  changed.cases.pop_back();
  changed.cases[0].taps.insert(changed.cases[0].taps.begin(), {"new", kFirst});
  rows.push_back({"1 tap added", changed});
  changed.cases[0].taps.erase(changed.cases[0].taps.begin());
  std::swap(changed.cases[0].taps[0], changed.cases[0].taps[1]);
  rows.push_back({"2 taps in another order", changed});
  std::swap(changed.cases[0].taps[0], changed.cases[0].taps[1]);
  changed.cases[0].taps.erase(changed.cases[0].taps.begin());
  rows.push_back({"1 tap removed", changed});
  WrittenGolden before = golden(kFirst);
  before.weights = {weight("w", 1)};
  for (const Row& row : rows) {
    const report::Blessing found = blessing(before, row.after);
    EXPECT_EQ(found.exit_code, 1) << row.reason;
    ASSERT_FALSE(found.reasons.empty()) << row.reason;
    EXPECT_EQ(found.reasons.front(), row.reason);
    EXPECT_NE(found.changes_entry.find(row.reason), std::string::npos) << found.changes_entry;
  }
}

TEST_F(Bless, AnotherDeviceIsListedAndIsNoChange) {
  WrittenGolden after = golden(kFirst);
  after.device = "gpu";
  const report::Blessing found = blessing(golden(kFirst), after);
  EXPECT_EQ(found.exit_code, 0);
  ASSERT_EQ(found.environment_diff.size(), 1U);
  EXPECT_EQ(found.environment_diff[0].key, "device.name");
}

TEST_F(Bless, StoringOtherwiseIsListedAndIsNoChange) {
  WrittenGolden after = golden(kFirst);
  after.cases[0].taps[0].is_digest = true;
  const report::Blessing found = blessing(golden(kFirst), after);
  EXPECT_EQ(found.exit_code, 0) << found.reasons.front();
  ASSERT_EQ(found.taps.size(), 1U);
  EXPECT_EQ(found.taps[0].what, "stored");
}

TEST_F(Bless, TheOldTruthSaysWhichValuesCameNearer) {
  WrittenGolden before{{{"one", {{"<output>", {1, 2, 3, 4.1F}}}, 1, {1, 2, 3, 4}}}};
  WrittenGolden after{{{"one", {{"<output>", {1, 2, 3, 4.01F}}}}}};
  const report::Blessing nearer = blessing(before, after);
  ASSERT_EQ(nearer.values.size(), 1U);
  EXPECT_EQ(nearer.values[0].with_truth, 1U);
  EXPECT_EQ(nearer.values[0].better, 1U);
  EXPECT_EQ(nearer.values[0].worse, 0U);
  // Where other weights or inputs went in, it is no judge.
  after.cases[0].inputs = 2;
  const report::Blessing other = blessing(before, after);
  ASSERT_EQ(other.values.size(), 1U);
  EXPECT_EQ(other.values[0].with_truth, 0U);
  after.cases[0].inputs = 1;
  after.weights = {weight("w", 1)};
  EXPECT_EQ(blessing(before, after).values.at(0).with_truth, 0U);
}

TEST_F(Bless, AGoldenThatCannotBeReadIsAnError) {
  test::write_golden(folder_.path() / "old.h5", golden(kFirst));
  BlessRequest request;
  request.before = folder_.path() / "old.h5";
  request.after = folder_.path() / "nowhere.h5";
  NoProgress progress;
  EXPECT_THROW(static_cast<void>(bless(request, progress)), Error);
}

}  // namespace
}  // namespace parity::pipeline
