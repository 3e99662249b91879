#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/plain_run.h"
#include "pipeline/record/record.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using test::FakeModel;
using test::FakeTap;
using test::module_tap;
using test::output_tap;

const std::vector<float> kFirst = {1, 2, 3, 4};
const std::vector<float> kSecond = {5, 6, 7, 9};

class RecordAndReplay : public testing::Test {
 protected:
  RecordSummary record(FakeModel& model, const std::string& name = "golden.h5",
                       const std::vector<CaseInput>& cases = {{"one", "ones:2"}},
                       const TapChoice& taps = {}, const StoreChoice& store = {}) {
    RecordRequest request;
    request.cases = cases;
    request.taps = taps;
    request.store = store;
    request.out = folder_ / name;
    golden_store::GoldenWriter writer(request.out, {});
    return record_cases(model, writer, request, progress_);
  }

  report::Report replay(FakeModel& model, const run::Settings& settings = {},
                        const ReplayOverrides& overrides = {}) {
    const golden_store::GoldenReader golden(folder_ / "golden.h5");
    ReplayRequest request;
    request.compare.golden = folder_ / "golden.h5";
    request.compare.overrides = overrides;
    request.settings = settings;
    return replay_cases(model, golden, nullptr, request, progress_);
  }

  [[nodiscard]] static bool mentions(const std::vector<std::string>& lines,
                                     const std::string& words) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(words) != std::string::npos;
    });
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  NoProgress progress_;
};

TEST_F(RecordAndReplay, IsQuietWhenLookingChangesNothing) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kSecond)});
  const RecordSummary summary = record(model);
  EXPECT_EQ(summary.taps, 2U);
  EXPECT_EQ(model.runs, 2) << "once plain, once with taps";
  EXPECT_TRUE(summary.notes.empty());
  EXPECT_EQ(replay(model).exit_code, 0);
}

TEST_F(RecordAndReplay, SaysWhenLookingChangedTheResult) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kSecond)});
  model.change_when_watched = [](FakeTap& tap) { tap.bytes[0] ^= std::byte{1}; };
  const RecordSummary summary = record(model);
  EXPECT_TRUE(mentions(summary.notes, "looking changed the result: <output>"));
  const golden_store::GoldenReader golden(folder_ / "golden.h5");
  EXPECT_TRUE(mentions(golden.cases().at(0).notes, "looking changed the result"));
  EXPECT_TRUE(mentions(replay(model).cases.at(0).notes, "reference: looking changed the result"));
}

TEST_F(RecordAndReplay, SaysWhenOnlyTheWatchedRunHasAnOutput) {
  const FakeModel plain({output_tap(kFirst)});
  OutputDigests tapped;
  tapped[plain.taps[0].id] = tensor::digest_of(plain.taps[0].bytes);
  EXPECT_EQ(changed_by_taps({}, tapped).size(), 1U);
  EXPECT_EQ(changed_by_taps(tapped, {}).size(), 1U);
  EXPECT_TRUE(changed_by_taps(tapped, tapped).empty());
}

TEST_F(RecordAndReplay, RefusesAModelWithoutTaps) {
  FakeModel model({});
  EXPECT_THROW((void)record(model), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "golden.h5"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "no temporary file is left";
}

TEST_F(RecordAndReplay, ChecksEveryInputBeforeTheFirstRun) {
  FakeModel model({output_tap(kFirst)});
  EXPECT_THROW((void)record(model, "golden.h5", {{"one", "ones:2"}, {"two", "nowhere.npy"}}),
               Error);
  EXPECT_EQ(model.runs, 0);
}

TEST_F(RecordAndReplay, StopsAfterTheFirstCaseWhenAGlobMatchesNothing) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kFirst)});
  EXPECT_THROW(
      (void)record(model, "golden.h5", {{"one", "ones:2"}, {"two", "ones:3"}}, {{"cf"}, {}}),
      Error);
  EXPECT_EQ(model.runs, 2);
}

TEST_F(RecordAndReplay, RefusesTypedLayersThatTheGoldenLacksBeforeRunning) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kFirst)});
  (void)record(model);
  const int runs = model.runs;
  ReplayOverrides overrides;
  overrides.layers = std::vector<std::string>{"cf"};
  EXPECT_THROW((void)replay(model, {}, overrides), Error);
  EXPECT_EQ(model.runs, runs);
}

TEST_F(RecordAndReplay, SaysWhyTheCandidateLacksATap) {
  FakeModel reference({module_tap("fc", kFirst), output_tap(kSecond)});
  (void)record(reference);
  FakeModel candidate({output_tap(kSecond)});
  candidate.skipped = {{{run::TapKind::module, "fc", "", 0, ""}, "a sparse tensor"}};
  const report::Report report = replay(candidate);
  EXPECT_EQ(report.exit_code, 1);
  const report::Tap& tap = report.cases.at(0).taps.at(0);
  EXPECT_EQ(tap.verdict, run::Verdict::missing);
  EXPECT_TRUE(mentions(tap.reasons, "a sparse tensor"));
}

run::SkippedTap skipped_output(const std::string& port, const std::string& reason) {
  return {{run::TapKind::output, std::string(run::kOutputPath), "", 0, port}, reason};
}

TEST_F(RecordAndReplay, NeverPassesOnInnerLayersWhenTheModelsOwnOutputWasNotCaptured) {
  FakeModel model({module_tap("fc", kFirst)});
  model.skipped = {skipped_output("", "the value is of type str and holds no tensor")};
  EXPECT_TRUE(mentions(record(model).notes, "not captured: <output>, the value is of type str"));
  const report::Report report = replay(model);
  EXPECT_EQ(report.cases.at(0).taps.at(0).verdict, run::Verdict::identical);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_TRUE(mentions(report.reasons,
                       "the model's own output was not compared: the value is of "
                       "type str"));
}

TEST_F(RecordAndReplay, PassesWhenOneOutputWasCapturedAndAnotherCouldNotBe) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kSecond)});
  model.skipped = {{{run::TapKind::module, "a", "", 0, ""}, "sparse"},
                   {{run::TapKind::module, "b", "", 0, ""}, "sparse"},
                   {{run::TapKind::module, "c", "", 0, ""}, "sparse"},
                   skipped_output("1", "the value is of type str, not a tensor")};
  EXPECT_TRUE(mentions(record(model).notes,
                       "not captured: <output>:1, the value is of type str, not a tensor; a, "
                       "sparse; b, sparse; and 1 more"));
  EXPECT_EQ(replay(model).exit_code, 0);
}

TEST_F(RecordAndReplay, SaysWhenTheGlobsLeaveTheModelsOutputAlone) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kSecond)});
  const RecordSummary summary = record(model, "golden.h5", {{"one", "ones:2"}}, {{}, {"**"}});
  ASSERT_EQ(summary.notes.size(), 1U);
  (void)record(model);
  ReplayOverrides overrides;
  overrides.skip = std::vector<std::string>{"**"};
  EXPECT_TRUE(mentions(replay(model, {}, overrides).notes, summary.notes[0])) << summary.notes[0];
}

/// Half of the values to the bits above bfloat16's.
FakeTap bfloat16_tap(const std::string& path) {
  FakeTap tap = module_tap(path, kFirst);
  tap.dtype = tensor::DType::bfloat16;
  std::vector<std::byte> bytes;
  for (std::size_t i = 2; i < tap.bytes.size(); i += 4) {
    bytes.push_back(tap.bytes[i]);
    bytes.push_back(tap.bytes[i + 1]);
  }
  tap.bytes = bytes;
  return tap;
}

TEST_F(RecordAndReplay, JudgesAFloat32LayerBehindABfloat16OneByWhatItsInputsWereRoundedTo) {
  const std::vector<float> off = {1.002F, 2.002F, 3.002F, 4.002F};
  struct Row {
    FakeTap before;
    run::Verdict verdict;
  };
  for (const Row& row : {Row{module_tap("cast", kFirst), run::Verdict::diverged},
                         Row{bfloat16_tap("cast"), run::Verdict::within}}) {
    FakeModel reference({row.before, module_tap("norm", kFirst), output_tap(kSecond)});
    (void)record(reference);
    FakeModel candidate({row.before, module_tap("norm", off), output_tap(kSecond)});
    const report::Report report = replay(candidate);
    EXPECT_EQ(report.cases.at(0).taps.at(1).verdict, row.verdict) << tensor::name(row.before.dtype);
    const bool printed = std::any_of(report.policy_bounds.begin(), report.policy_bounds.end(),
                                     [&](const report::BoundText& bound) {
                                       return bound.scope == tensor::name(row.before.dtype);
                                     });
    EXPECT_TRUE(printed) << tensor::name(row.before.dtype);
  }
}

TEST_F(RecordAndReplay, TakesTwoTapsOfOnePrintedNameForTwo) {
  // An op tap of layer "a" and a module that is called "a/aten.add".
  FakeTap op = module_tap("a", kFirst);
  op.id.kind = run::TapKind::op;
  op.id.op = "aten.add";
  FakeModel model({op, module_tap("a/aten.add", kSecond), output_tap(kSecond)});
  (void)record(model);
  const report::Report report = replay(model);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.cases.at(0).taps.size(), 3U);
}

/// The same taps as bfloat16, which holds these small integers exactly.
FakeTap as_bfloat16(FakeTap tap) {
  std::vector<std::byte> halves;
  for (std::size_t i = 0; i < tap.bytes.size(); i += 4) {
    halves.push_back(tap.bytes[i + 2]);
    halves.push_back(tap.bytes[i + 3]);
  }
  tap.dtype = tensor::DType::bfloat16;
  tap.bytes = halves;
  return tap;
}

TEST_F(RecordAndReplay, ComparesAcrossDtypesOnlyWhenAskedFor) {
  FakeModel reference({module_tap("fc", kFirst), output_tap(kSecond)});
  (void)record(reference);
  FakeModel candidate({as_bfloat16(module_tap("fc", kFirst)), as_bfloat16(output_tap(kSecond))});
  EXPECT_EQ(replay(candidate).cases.at(0).taps.at(0).verdict, run::Verdict::dtype_differs);
  run::Settings asked;
  asked.dtype = tensor::DType::bfloat16;
  ReplayOverrides overrides;
  overrides.dtype = DtypeSource::settings;
  EXPECT_EQ(replay(candidate, asked, overrides).exit_code, 0);
  asked.dtype = tensor::DType::float16;
  EXPECT_EQ(replay(candidate, asked, overrides).cases.at(0).taps.at(0).verdict,
            run::Verdict::dtype_differs)
      << "bfloat16 taps were not asked for";
}

TEST_F(RecordAndReplay, KeepsTheModelsOutputsWholeInEveryMode) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kSecond)});
  model.taps[1].shape = {4, 1};
  for (const StoreChoice& store :
       {StoreChoice{run::StoreMode::rows, 1}, StoreChoice{run::StoreMode::digest, 0}}) {
    (void)record(model, "golden.h5", {{"one", "ones:2"}}, {}, store);
    const golden_store::GoldenReader golden(folder_ / "golden.h5");
    EXPECT_EQ(golden.cases().at(0).taps.at(0).mode, store.mode);
    EXPECT_EQ(golden.cases().at(0).taps.at(1).mode, run::StoreMode::full);
  }
}

/// A model with 2 positions.
std::string beyond_two(const tensor::Value& inputs) {
  const auto& tensor = std::get<tensor::HostTensor>(inputs.data);
  return tensor.shape().front() > 2 ? "there are only 2 positions" : "";
}

TEST_F(RecordAndReplay, LeavesOutCasesThatNeedNotBeThereAndSaysSo) {
  FakeModel model({module_tap("fc", kFirst), output_tap(kFirst)});
  model.refuse = beyond_two;
  const std::vector<CaseInput> cases = {{"one", "ones:2"}, {"two", "ones:3", Need::optional}};
  const RecordSummary summary = record(model, "golden.h5", cases);
  EXPECT_EQ(summary.cases, 1U);
  EXPECT_TRUE(mentions(summary.notes, "case two was left out: there are only 2 positions"));
  const golden_store::GoldenReader golden(folder_ / "golden.h5");
  EXPECT_EQ(golden.cases().size(), 1U);
  EXPECT_TRUE(mentions(golden.header().notes, "case two was left out"));
}

TEST_F(RecordAndReplay, LeavesOutNoCaseThatFailsWhenItRuns) {
  // At an edge of a kernel that is the finding.
  FakeModel model({module_tap("fc", kFirst), output_tap(kFirst)});
  model.change_in_run = [&](int run, FakeTap&) { model.failure = run >= 2 ? "no kernel" : ""; };
  const std::vector<CaseInput> cases = {{"one", "ones:2"}, {"two", "ones:3", Need::optional}};
  try {
    (void)record(model, "golden.h5", cases);
    ADD_FAILURE() << "recorded without the case";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_EQ(std::string(error.what()), "case 'two': no kernel");
  }
}

TEST_F(RecordAndReplay, RefusesARecordingOfWhichEveryCaseIsLeftOut) {
  FakeModel model({output_tap(kFirst)});
  model.refuse = beyond_two;
  try {
    (void)record(model, "golden.h5", {{"one", "ones:3", Need::optional}});
    ADD_FAILURE() << "recorded nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string(error.what()).find("there are only 2"), std::string::npos);
  }
}

TEST_F(RecordAndReplay, JudgesEveryCaseForItself) {
  FakeModel reference({module_tap("fc", kFirst), output_tap(kFirst)});
  (void)record(reference, "golden.h5", {{"one", "ones:2"}, {"two", "ones:3"}});
  FakeModel candidate(reference.taps);
  candidate.change_in_run = [&](int run, FakeTap& tap) {
    if (run > 1) tap.bytes = test::bytes_of(kSecond);
  };
  const report::Report report = replay(candidate);
  EXPECT_EQ(report.result, report::Result::fail);
  EXPECT_EQ(report.cases.at(0).result, report::Result::pass);
  EXPECT_EQ(report.cases.at(1).result, report::Result::fail);
}

}  // namespace
}  // namespace parity::pipeline
