// From `record --truth` to the verdict: recorded beside the case or in a golden of its own, and
// refused where it could judge nothing.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/attribute/attribution.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/same_inputs.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/record.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using tensor::DType;
using test::FakeModel;
using test::FakeTap;
using test::module_tap;
using test::output_tap;
using test::widened;

const std::vector<float> kRight = {1, 2, 3, 4};
const std::vector<float> kWrong = {1, 2, 3.5F, 4};
const std::vector<float> kWorse = {1, 2, 5, 4};

std::vector<FakeTap> taps_of(const std::vector<float>& values) {
  return {module_tap("fc", values), output_tap(values)};
}

std::vector<FakeTap> wide_taps_of(const std::vector<float>& values) {
  return {widened(module_tap("fc", values)), widened(output_tap(values))};
}

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

class TruthPipeline : public testing::Test {
 protected:
  void SetUp() override {
    request_.cases = {{"one", "ones:2"}};
    request_.truth.dtype = DType::float64;
  }

  /// Records `recorded`, with what opening again with `truth` of the asked dtype gives.
  RecordSummary record(const std::vector<FakeTap>& recorded, const std::vector<FakeTap>& truth,
                       const std::string& name = "golden.h5") {
    request_.out = folder_ / name;
    golden_store::GoldenWriter writer(request_.out, {});
    const OpenModel open = [&](const run::Settings& settings) {
      opened_.push_back(settings);
      auto model = std::make_unique<FakeModel>(truth);
      if (settings.dtype == DType::float64) model->failure = float64_failure_;
      return model;
    };
    return record_cases(std::make_unique<FakeModel>(recorded), open, writer, request_, progress_);
  }

  report::Report replay(const std::vector<FakeTap>& candidate,
                        const std::optional<std::string>& truth = std::nullopt) {
    FakeModel model(candidate);
    const golden_store::GoldenReader golden(folder_ / "golden.h5");
    ReplayRequest request;
    request.compare.golden = folder_ / "golden.h5";
    if (truth) request.compare.truth = folder_ / *truth;
    return replay_cases(model, golden, nullptr, request, progress_);
  }

  std::string refusal_of_truth(const std::string& file) {
    try {
      (void)replay(taps_of(kRight), file);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::incompatible) << error.what();
      return error.what();
    }
    return "accepted";
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  RecordRequest request_;
  std::vector<run::Settings> opened_;
  std::string float64_failure_;
  NoProgress progress_;
};

TEST_F(TruthPipeline, TurnsADifferenceIntoCloserWhenTheReferenceIsTheWrongOne) {
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  const report::Report report = replay(taps_of(kRight));
  EXPECT_EQ(report.exit_code, 0);
  for (const report::Tap& tap : report.cases.at(0).taps) {
    EXPECT_EQ(tap.verdict, run::Verdict::closer) << run::to_string(tap.id);
    ASSERT_TRUE(tap.truth.has_value());
    EXPECT_EQ(tap.truth->dtype, "float64");
    EXPECT_NEAR(tap.truth->reference_nrmse, 0.5 / std::sqrt(30.0), 1e-12);
    EXPECT_EQ(tap.truth->candidate_nrmse, 0);
    EXPECT_EQ(tap.truth->ratio, 0);
  }
  ASSERT_TRUE(report.truth.has_value());
  EXPECT_EQ(report.truth->worse, "reference");
  EXPECT_EQ(report.truth->file, (folder_ / "golden.h5").string());
  EXPECT_EQ(report.truth->taps, 2U);
  EXPECT_TRUE(mentions(report.reasons, "the reference is the worse side"));
}

TEST_F(TruthPipeline, LeavesAWorseCandidateDiverged) {
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  const report::Report report = replay(taps_of(kWorse));
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.cases.at(0).taps.at(0).verdict, run::Verdict::diverged);
  EXPECT_TRUE(mentions(report.cases[0].taps[0].reasons, "further from the truth"));
  EXPECT_EQ(report.truth->worse, "candidate");
}

TEST_F(TruthPipeline, SaysNothingWithoutATruth) {
  request_.truth.dtype.reset();
  (void)record(taps_of(kWrong), {});
  const report::Report report = replay(taps_of(kRight));
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_FALSE(report.truth.has_value());
  EXPECT_FALSE(report.cases.at(0).taps.at(0).truth.has_value());
  EXPECT_TRUE(opened_.empty());
}

TEST_F(TruthPipeline, ComparesTwoGoldensByTheReferencesTruth) {
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  request_.truth.dtype.reset();
  (void)record(taps_of(kRight), {}, "candidate.h5");
  CompareRequest request;
  request.golden = folder_ / "golden.h5";
  EXPECT_EQ(compare_recordings(request, folder_ / "candidate.h5", progress_).exit_code, 0);
  // The other way round the candidate is the wrong one, and its own truth does not count.
  request.golden = folder_ / "candidate.h5";
  const report::Report report = compare_recordings(request, folder_ / "golden.h5", progress_);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_FALSE(report.truth.has_value());
  // Unless it is named.
  request.truth = folder_ / "golden.h5";
  EXPECT_EQ(compare_recordings(request, folder_ / "golden.h5", progress_).truth->worse,
            "candidate");
}

TEST_F(TruthPipeline, TakesTheTruthFromTheTapsOfAnotherGolden) {
  request_.truth.dtype.reset();
  (void)record(taps_of(kWrong), {});
  (void)record(wide_taps_of(kRight), {}, "float64.h5");
  const report::Report report = replay(taps_of(kRight), "float64.h5");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.truth->file, (folder_ / "float64.h5").string());
  EXPECT_EQ(report.cases.at(0).taps.at(0).verdict, run::Verdict::closer);
}

TEST_F(TruthPipeline, RefusesAGoldenThatIsNoJudge) {
  request_.truth.dtype.reset();
  (void)record(taps_of(kWrong), {});
  (void)record(taps_of(kRight), {}, "float32.h5");
  EXPECT_NE(refusal_of_truth("float32.h5").find("no tap that is more precise"), std::string::npos);
  request_.cases = {{"one", "ones:3"}};
  (void)record(wide_taps_of(kRight), {}, "inputs.h5");
  EXPECT_NE(refusal_of_truth("inputs.h5").find("has other inputs in case 'one'"),
            std::string::npos);
  request_.cases = {{"two", "ones:2"}};
  (void)record(wide_taps_of(kRight), {}, "names.h5");
  EXPECT_NE(refusal_of_truth("names.h5").find("shares no case"), std::string::npos);
}

TEST_F(TruthPipeline, RunsTheTruthFromTheWeightsThatWereRecordedByThePlainestKernels) {
  request_.settings.device = "cuda:1";
  request_.settings.dtype = DType::bfloat16;
  request_.settings.fp32_precision = run::Fp32Precision::tf32;
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  ASSERT_EQ(opened_.size(), 1U);
  EXPECT_EQ(opened_[0].dtype, DType::float64);
  EXPECT_EQ(opened_[0].rounded_to, DType::bfloat16);
  EXPECT_EQ(opened_[0].device, "cpu");
  EXPECT_EQ(opened_[0].fp32_precision, run::Fp32Precision::ieee);
  EXPECT_EQ(opened_[0].sdpa, run::Sdpa::math);
  request_.truth.device = TruthDevice::same;
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  EXPECT_EQ(opened_.at(1).device, "cuda:1");
}

TEST_F(TruthPipeline, FallsBackToFloat32AndSaysSo) {
  request_.settings.dtype = DType::bfloat16;
  request_.cases = {{"one", "ones:2"}, {"two", "ones:2"}};
  float64_failure_ = "no such kernel.";
  const RecordSummary summary = record(taps_of(kWrong), wide_taps_of(kRight));
  EXPECT_TRUE(
      mentions(summary.notes, "it is in float32, because the model does not run in float64"));
  EXPECT_EQ(opened_.size(), 2U) << "not tried again for the second case";
  const golden_store::GoldenReader golden(folder_ / "golden.h5");
  for (const run::CaseRecord& record : golden.cases()) {
    EXPECT_EQ(record.truth->dtype, DType::float32);
    EXPECT_TRUE(mentions(record.truth->notes, "no such kernel"));
  }
  EXPECT_TRUE(mentions(golden.header().notes, "no such kernel"));
}

TEST_F(TruthPipeline, FailsWhereNothingMorePreciseRuns) {
  float64_failure_ = "no such kernel.";
  try {
    (void)record(taps_of(kWrong), wide_taps_of(kRight));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string(error.what()).find("cannot be run in float64"), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(TruthPipeline, IsRefusedBeforeAnyWorkWhereItCouldJudgeNothing) {
  struct Row {
    DType truth;
    std::optional<DType> recorded;
    StoreChoice store;
    std::string reason;
  };
  const Row rows[] = {
      {DType::float32, std::nullopt, {}, "no more precise than the recording in float32; take"},
      {DType::float32, DType::float32, {}, "no more precise than the recording in float32; take"},
      {DType::float64, DType::float64, {}, "and nothing is: leave --truth out"},
      {DType::float64, DType::float32, {run::StoreMode::digest, 0}, "--store digest keeps none"},
  };
  for (const Row& row : rows) {
    request_.truth.dtype = row.truth;
    request_.settings.dtype = row.recorded;
    request_.store = row.store;
    try {
      (void)record(taps_of(kWrong), wide_taps_of(kRight));
      FAIL() << row.reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find(row.reason), std::string::npos) << error.what();
    }
    EXPECT_TRUE(opened_.empty());
  }
}

TEST_F(TruthPipeline, StoresTheSameRowsAsTheRecording) {
  std::vector<FakeTap> recorded = taps_of(kWrong);
  std::vector<FakeTap> truth = wide_taps_of(kRight);
  for (std::vector<FakeTap>* taps : {&recorded, &truth}) taps->at(0).shape = {2, 2};
  request_.store = {run::StoreMode::rows, 1};
  (void)record(recorded, truth);
  const golden_store::GoldenReader golden(folder_ / "golden.h5");
  const run::TapRecord& tap = golden.cases().at(0).truth->taps.at(0);
  EXPECT_EQ(tap.mode, run::StoreMode::rows);
  EXPECT_EQ(tap.rows, golden.cases()[0].taps.at(0).rows);
  std::vector<FakeTap> candidate = taps_of(kRight);
  candidate[0].shape = {2, 2};
  EXPECT_TRUE(replay(candidate).cases.at(0).taps.at(0).truth.has_value());
}

TEST_F(TruthPipeline, DoesNotJudgeTapsThatTheTruthIsNoMorePreciseAt) {
  std::vector<FakeTap> truth = wide_taps_of(kRight);
  truth[0] = module_tap("fc", kRight);  // as a layer that casts to float32 whatever it is given
  (void)record(taps_of(kWrong), truth);
  const report::Report report = replay(taps_of(kRight));
  EXPECT_FALSE(report.cases.at(0).taps.at(0).truth.has_value());
  EXPECT_EQ(report.cases[0].taps[0].verdict, run::Verdict::diverged);
  EXPECT_EQ(report.cases[0].taps.at(1).verdict, run::Verdict::closer);
}

TEST(TruthAttribution, ExplainsWhatTheReferenceItselfIsWrongBy) {
  report::Report report;
  report::Tap tap;
  tap.id.path = "fc";
  tap.introduced = compare::TensorComparison{};
  tap.introduced->nrmse = 1e-3;
  report.cases = {{"one", report::Result::fail, {tap}, {}, {}, {}}};
  EXPECT_EQ(attribution_of(report).finding, "culprit");
  report.cases[0].taps[0].truth = report::TapTruth{"float64", 2e-3, 1e-6, 5e-4, 0, 0, {}};
  EXPECT_EQ(attribution_of(report).finding, "none") << "all that is known has piled up until here";
  report.cases[0].taps[0].truth->reference_introduced_nrmse = 1e-6;
  EXPECT_EQ(attribution_of(report).finding, "culprit") << "the reference is right in this layer";
  report.cases[0].taps[0].truth->reference_introduced_nrmse = 1e-3;
  EXPECT_EQ(attribution_of(report).finding, "none");
}

TEST_F(TruthPipeline, HoldsWhatTheRecordingIsWrongByItself) {
  (void)record(taps_of(kWrong), wide_taps_of(kRight));
  const golden_store::GoldenReader golden(folder_ / "golden.h5");
  const std::vector<double>& errors = golden.cases().at(0).truth.value().introduced_nrmse;
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_NEAR(errors[0], 0.5 / std::sqrt(30.0), 1e-6);
  const report::Report report = replay(taps_of(kRight));
  EXPECT_EQ(report.cases.at(0).taps.at(0).truth.value().reference_introduced_nrmse, errors[0]);

  request_.store = {run::StoreMode::rows, 1};
  (void)record(taps_of(kWrong), wide_taps_of(kRight), "rows.h5");
  EXPECT_TRUE(golden_store::GoldenReader(folder_ / "rows.h5")
                  .cases()
                  .at(0)
                  .truth.value()
                  .introduced_nrmse.empty());
}

TEST(SameInputs, CompareStructureKeysAndEveryBit) {
  using tensor::Value;
  const auto tensor_of = [](float value) {
    return Value{tensor::HostTensor(DType::float32, {1}, test::bytes_of({value}))};
  };
  const std::vector<Value> different = {
      {},
      {true},
      {std::int64_t{1}},
      {1.0},
      {-0.0},
      {0.0},
      {std::string("a")},
      tensor_of(1),
      tensor_of(2),
      {tensor::ValueList{{tensor_of(1)}}},
      {tensor::ValueTuple{{tensor_of(1)}}},
      {tensor::ValueList{{tensor_of(1), tensor_of(1)}}},
      {tensor::ValueDict{{{"a", tensor_of(1)}}}},
      {tensor::ValueDict{{{"b", tensor_of(1)}}}},
      {tensor::ValueDict{{{"a", tensor_of(2)}}}},
  };
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t j = 0; j < different.size(); ++j)
      EXPECT_EQ(same_inputs(different[i], different[j]), i == j) << i << " against " << j;
  }
}

}  // namespace
}  // namespace parity::pipeline
