// From `record --repeat` to the verdict: what the reference does not reproduce itself is no fault
// of the candidate, and is named before anything is said of it.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/record.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using run::Verdict;
using test::bytes_of;
using test::FakeModel;
using test::FakeTap;
using test::module_tap;
using test::output_tap;

const std::vector<float> kSteady = {5, 6, 7, 9};
const std::vector<float> kRecorded = {1, 2, 3, 4};
const std::vector<float> kRepeated = {1, 2, 3.001F, 4};
const std::vector<float> kCandidate = {1, 2.0012F, 3, 4};
const std::vector<float> kFar = {1, 2, 3.5F, 4};

std::vector<FakeTap> taps_of(const std::vector<float>& noisy) {
  return {module_tap("steady", kSteady), module_tap("noisy", noisy), output_tap(kSteady)};
}

class NoisePipeline : public testing::Test {
 protected:
  /// Runs 1 and 2 are the plain and the recorded one; `noisy` changes from run `from` on.
  RecordSummary record(std::int64_t repeats, int from = 4, const StoreChoice& store = {}) {
    FakeModel model(taps_of(kRecorded));
    model.change_in_run = [&](int run, FakeTap& tap) {
      if (run >= from && tap.id.path == "noisy") tap.bytes = bytes_of(kRepeated);
    };
    RecordRequest request;
    request.cases = {{"one", "ones:2"}};
    request.repeats = repeats;
    request.store = store;
    request.out = folder_.path() / "golden.h5";
    golden_store::GoldenWriter writer(request.out, {});
    RecordSummary summary = record_cases(model, writer, request, progress_);
    runs_ = model.runs;
    return summary;
  }

  report::Report replay(const std::vector<float>& noisy) {
    FakeModel model(taps_of(noisy));
    const golden_store::GoldenReader golden(folder_.path() / "golden.h5");
    ReplayRequest request;
    request.compare.golden = folder_.path() / "golden.h5";
    return replay_cases(model, golden, nullptr, request, progress_);
  }

  const test::TemporaryFolder folder_;
  NoProgress progress_;
  int runs_ = 0;
};

TEST_F(NoisePipeline, HoldsEveryRepeatAgainstTheRecordedRun) {
  const RecordSummary summary = record(3);
  EXPECT_EQ(runs_, 5) << "plain, recorded, three repeats";
  EXPECT_EQ(summary.noisy_taps, 1U);
  ASSERT_EQ(summary.notes.size(), 1U);
  EXPECT_EQ(summary.notes[0],
            "1 of 3 taps is not the same in every run (3 repeats), the first noisy of case one; "
            "nrmse up to 0.00018, at noisy");
  const golden_store::GoldenReader golden(folder_.path() / "golden.h5");
  const run::NoiseRecord& noise = golden.cases().at(0).noise.value();
  EXPECT_EQ(noise.repeats, 3);
  ASSERT_EQ(noise.taps.size(), 1U);
  EXPECT_EQ(noise.taps[0].tap, 1U);
  EXPECT_EQ(noise.taps[0].differing, 2) << "the first repeat is run 3";
  const auto nrmse = std::find_if(noise.taps[0].figures.begin(), noise.taps[0].figures.end(),
                                  [](const auto& figure) { return figure.metric == "nrmse"; });
  ASSERT_NE(nrmse, noise.taps[0].figures.end());
  EXPECT_NEAR(nrmse->value, 1e-3 / std::sqrt(30.0), 1e-7);
}

TEST_F(NoisePipeline, SaysSoWhenNothingDiffers) {
  EXPECT_TRUE(record(2, 99).notes.empty());
  const report::Report report = replay(kRecorded);
  ASSERT_TRUE(report.noise.has_value());
  EXPECT_EQ(report.noise->repeats, 2);
  EXPECT_EQ(report.noise->taps, 3U);
  EXPECT_EQ(report.noise->differing, 0U);
  EXPECT_EQ(report.noise->sentence, "");
  EXPECT_EQ(report.cases[0].taps[1].noise.value().repeats, 2);
}

TEST_F(NoisePipeline, IsTheFloorOfTheBounds) {
  record(0);
  EXPECT_EQ(replay(kCandidate).exit_code, 1) << "diverged without the noise";
  EXPECT_FALSE(replay(kCandidate).noise.has_value());
  record(3);
  const report::Report report = replay(kCandidate);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.cases[0].taps[1].verdict, Verdict::within);
  EXPECT_EQ(report.noise.value().sentence,
            "the reference is not deterministic: 1 of 3 taps is not the same in every run (3 "
            "repeats), the first noisy of case one; nrmse up to 0.00018, at noisy");
  EXPECT_EQ(replay(kFar).exit_code, 1) << "further off than any noise";
}

TEST_F(NoisePipeline, OfADigestSaysOnlyThatItDiffers) {
  record(3, 4, {run::StoreMode::digest, 0});
  const report::Report report = replay(kCandidate);
  EXPECT_EQ(report.cases[0].taps[1].verdict, Verdict::untested);
  EXPECT_EQ(report.cases[0].taps[1].noise.value().differing, 2);
  EXPECT_TRUE(report.cases[0].taps[1].noise->figures.empty());
  EXPECT_EQ(report.exit_code, 1);
}

TEST_F(NoisePipeline, IsMeasuredOnTheStoredRows) {
  record(3, 4, {run::StoreMode::rows, 1});
  EXPECT_EQ(replay(kCandidate).cases[0].taps[1].verdict, Verdict::within);
}

TEST_F(NoisePipeline, NamesTapsThatComeInSomeRunsOnly) {
  FakeModel model(taps_of(kRecorded));
  model.change_in_run = [&](int run, FakeTap& tap) {
    if (run >= 4 && tap.id.path == "noisy") tap.id.path = "other";
  };
  RecordRequest request;
  request.cases = {{"one", "ones:2"}};
  request.repeats = 2;
  request.out = folder_.path() / "golden.h5";
  golden_store::GoldenWriter writer(request.out, {});
  const RecordSummary summary = record_cases(model, writer, request, progress_);
  const auto has = [&](const std::string& words) {
    return std::any_of(summary.notes.begin(), summary.notes.end(),
                       [&](const auto& note) { return note.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(has("noisy was recorded and came in 1 of 2 repeats"));
  EXPECT_TRUE(has("other was not recorded and came in 1 of 2 repeats"));
}

TEST_F(NoisePipeline, CountsElementsOutsideByTheBoundsThatATapIsJudgedBy) {
  // A float32 layer behind a bfloat16 one has bfloat16's bounds: 1e-3 is no element outside.
  FakeTap rounded = module_tap("rounded", {1, 2});
  rounded.dtype = tensor::DType::bfloat16;
  rounded.shape = {4};
  std::vector<FakeTap> taps = taps_of(kRecorded);
  taps.insert(taps.begin(), rounded);
  FakeModel model(taps);
  model.change_in_run = [&](int run, FakeTap& tap) {
    if (run >= 3 && tap.id.path == "noisy") tap.bytes = bytes_of(kRepeated);
  };
  RecordRequest request;
  request.cases = {{"one", "ones:2"}};
  request.repeats = 1;
  request.out = folder_.path() / "golden.h5";
  golden_store::GoldenWriter writer(request.out, {});
  (void)record_cases(model, writer, request, progress_);
  const golden_store::GoldenReader golden(folder_.path() / "golden.h5");
  const run::NoiseRecord& noise = golden.cases().at(0).noise.value();
  ASSERT_EQ(noise.taps.size(), 1U);
  for (const run::NoiseFigure& figure : noise.taps[0].figures) {
    if (figure.metric == "where.share") {
      EXPECT_EQ(figure.value, 0);
    }
  }
}

}  // namespace
}  // namespace parity::pipeline
