// A device against itself: what repeats, what watching changes, and what the other rows change.
#include "pipeline/compare/selfcheck.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "capture/plain_device.h"
#include "error/error.h"
#include "pipeline/fake_model.h"

namespace parity::pipeline {
namespace {

using run::Verdict;
using test::bytes_of;

/// Doubles [rows, 4] float32, and has what a test gives it wrong with it.
class Doubling final : public model::Model {
 public:
  Doubling() {
    description_.file_name = "doubling.pt";
    description_.all_weights = run::digest_of_weights({});
  }
  [[nodiscard]] const run::ModelDescription& description() const override { return description_; }
  [[nodiscard]] run::Provenance provenance() const override { return {}; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return allocator_; }
  [[nodiscard]] bool is_logits(const run::TapId&, const tensor::Shape&,
                               const tensor::Value&) const override {
    return false;
  }
  void run(const tensor::Value& inputs, model::Instrumentation instrumentation,
           run::TapSink& sink) override {
    const auto& x = std::get<tensor::HostTensor>(inputs.data);
    std::vector<float> values(x.bytes().size() / sizeof(float));
    std::memcpy(values.data(), x.bytes().data(), x.bytes().size());
    const std::size_t rows = values.size() / 4;
    if (rows > most_rows) throw Error(ErrorKind::model, "made for one row");
    ++runs;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * values[i] + 1;
    if (rows > 1) values[4] += by_batch;
    if (runs > 1) values[1] += by_run;
    const std::vector<std::byte> bytes = bytes_of(values);
    const bool watched = instrumentation == model::Instrumentation::taps;
    const test::PlainTensor tap(tensor::DType::float32, x.shape(), bytes);
    if (watched) sink.on_tap({run::TapKind::module, "fc", "", 0, ""}, tap);
    if (watched) values[2] += by_watching;
    const std::vector<std::byte> output = bytes_of(values);
    const tensor::Shape output_shape =
        square_output
            ? tensor::Shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(rows)}
            : x.shape();
    const std::span<const std::byte> part =
        std::span(output).first(tensor::element_count(output_shape) * sizeof(float));
    sink.on_tap({run::TapKind::output, std::string(run::kOutputPath), "", 0, ""},
                test::PlainTensor(tensor::DType::float32, output_shape,
                                  std::vector<std::byte>(part.begin(), part.end())));
  }

  bool square_output = false;  ///< [rows, rows], in which no row has a part that it has alone
  std::size_t most_rows = 100;
  float by_batch = 0;     ///< added to the second row when it is not alone
  float by_run = 0;       ///< added in every run but the first
  float by_watching = 0;  ///< added to the output when there are taps
  int runs = 0;

 private:
  run::ModelDescription description_;
  test::PlainAllocator allocator_;
};

report::Report checked(Doubling& model, const std::string& inputs,
                       run::Strictness strictness = run::Strictness::normal) {
  SelfcheckRequest request;
  request.cases = {{"x", inputs}};
  request.strictness = strictness;
  NoProgress progress;
  return selfcheck_model(model, load_early(request.cases, 0, {}), request, progress);
}

std::map<std::string, report::Result> results(const report::Report& report) {
  std::map<std::string, report::Result> by_name;
  for (const report::Case& one : report.cases) by_name[one.name] = one.result;
  return by_name;
}

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

/// An output that is 1 everywhere proves nothing, and has the same bits each time.
TEST(Selfcheck, SaysNothingOfOtherBitsWhereAConstantOutputIsUntrusted) {
  Doubling model;
  const report::Report report = checked(model, "zeros:1x4");
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.cases.at(0).taps.back().verdict, Verdict::untrusted);
  EXPECT_FALSE(mentions(report.notes, "have other bits"));
  Doubling differing;
  differing.by_run = 1e-6F;
  EXPECT_TRUE(mentions(checked(differing, "zeros:1x4").notes, "2 of 2 taps have other bits"));
}

TEST(Selfcheck, PassesADeviceThatAgreesWithItself) {
  Doubling model;
  const report::Report report = checked(model, "randn:3x4");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(report.devices, report::Devices::same);
  const std::vector<std::string> wanted = {"x, run 2",
                                           "x, run 3",
                                           "x, without taps",
                                           "x, row 0 of 3 alone",
                                           "x, row 1 of 3 alone",
                                           "x, row 2 of 3 alone"};
  ASSERT_EQ(report.cases.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(report.cases[i].name, wanted[i]);
    for (const report::Tap& tap : report.cases[i].taps)
      EXPECT_EQ(tap.verdict, Verdict::identical) << wanted[i];
  }
  EXPECT_EQ(report.cases[0].taps.size(), 2U);
  EXPECT_EQ(report.cases[2].taps.size(), 1U) << "nobody sees the layers of a plain run";
  EXPECT_EQ(report.cases[3].taps[0].shape, (std::vector<std::int64_t>{1, 4}));
}

TEST(Selfcheck, MakesABatchOfInputsWithOneRow) {
  Doubling model;
  const report::Report report = checked(model, "randn:1x4");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(results(report).count("x, row 3 of 4 alone"), 1U);
  model.most_rows = 1;
  const report::Report alone = checked(model, "randn:1x4");
  EXPECT_EQ(alone.cases.size(), 3U);
  EXPECT_TRUE(mentions(alone.notes,
                       "x: not checked row by row, since the model does not run 4 "
                       "rows: made for one row"));
}

TEST(Selfcheck, NamesARowThatDependsOnTheOthers) {
  Doubling model;
  model.by_batch = 0.5F;
  const report::Report report = checked(model, "randn:3x4");
  EXPECT_EQ(report.exit_code, 1);
  const auto by_name = results(report);
  EXPECT_EQ(by_name.at("x, row 0 of 3 alone"), report::Result::pass);
  EXPECT_EQ(by_name.at("x, row 1 of 3 alone"), report::Result::fail);
  EXPECT_EQ(by_name.at("x, row 2 of 3 alone"), report::Result::pass);
  EXPECT_TRUE(mentions(report.notes,
                       "x, row 1 of 3 alone: 2 of 2 taps have other bits than in "
                       "the batch, first at fc"));
  EXPECT_EQ(report.first_divergence.value().case_name, "x, row 1 of 3 alone");
}

TEST(Selfcheck, ExpectsTheSameBitsOfTheSameRun) {
  Doubling model;
  model.by_run = 1e-6F;
  const report::Report report = checked(model, "rand:3x4");
  EXPECT_EQ(report.exit_code, 0) << "inside every bound, and warned of";
  EXPECT_EQ(report.cases[0].taps[0].verdict, Verdict::suspect);
  EXPECT_TRUE(mentions(report.cases[0].taps[0].reasons, "other bits than in the first run"));
  EXPECT_TRUE(mentions(report.notes,
                       "x, run 2: 2 of 2 taps have other bits than in the first run, first at fc"));
  model.runs = 0;
  EXPECT_EQ(checked(model, "rand:3x4", run::Strictness::strict).exit_code, 1);
}

TEST(Selfcheck, SeesThatWatchingChangesTheOutput) {
  Doubling model;
  model.by_watching = 0.5F;
  const report::Report report = checked(model, "randn:3x4");
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(results(report).at("x, without taps"), report::Result::fail);
  EXPECT_EQ(results(report).at("x, run 2"), report::Result::pass);
}

TEST(Selfcheck, FailsWhereNoRowOfTheOutputCouldBeCompared) {
  Doubling model;
  model.square_output = true;
  const report::Report report = checked(model, "rand:3x4");
  EXPECT_EQ(results(report).at("x, run 2"), report::Result::pass);
  EXPECT_EQ(results(report).at("x, row 0 of 3 alone"), report::Result::fail);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_TRUE(mentions(report.reasons, "the model's own output was not compared"));
}

TEST(Selfcheck, SaysWhenThereIsNoBatch) {
  Doubling model;
  const report::Report report = checked(model, "randn:scalar");
  EXPECT_TRUE(mentions(report.notes, "x: not checked row by row, since its inputs have no batch"));
}

}  // namespace
}  // namespace parity::pipeline
