#include "pipeline/record/truth_recording.h"

#include <utility>

#include "capture/tap_filter.h"
#include "error/error.h"
#include "pipeline/attribute/own_error.h"
#include "pipeline/compare/tap_truth.h"
#include "pipeline/record/plain_run.h"
#include "pipeline/record/tapped_run.h"

namespace parity::pipeline {
namespace {

class TruthRecorder {
 public:
  TruthRecorder(const OpenModel& open, golden_store::GoldenWriter& writer,
                const TruthRequest& request, Progress& progress)
      : open_(open),
        writer_(writer),
        request_(request),
        progress_(progress),
        filter_(request.layers, request.skip),
        dtype_(request.choice.dtype.value()) {}

  void record_case(std::size_t case_index, const TruthCase& one);
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  [[nodiscard]] OutputDigests trial(const TruthCase& one);
  void fall_back(const TruthCase& one, const Error& failure);
  [[nodiscard]] OwnErrors own_errors_of(std::size_t case_index, const TruthCase& one);
  [[nodiscard]] std::string name() const { return std::string(tensor::name(dtype_)); }

  const OpenModel& open_;
  golden_store::GoldenWriter& writer_;
  const TruthRequest& request_;
  Progress& progress_;
  capture::TapFilter filter_;
  tensor::DType dtype_;
  std::string fallen_back_;  ///< why `dtype_` is not what was asked for; empty: it is
  std::unique_ptr<model::Model> model_;
  std::vector<std::string> notes_;
};

/// A plain run: whether the model runs in this dtype at all is known before anything is written.
OutputDigests TruthRecorder::trial(const TruthCase& one) {
  for (;;) {
    try {
      if (model_ == nullptr)
        model_ = open_(truth_settings(request_.settings, request_.choice, dtype_));
      return plain_outputs(*model_, one.inputs);
    } catch (const Error& failure) {
      fall_back(one, failure);
    }
  }
}

void TruthRecorder::fall_back(const TruthCase& one, const Error& failure) {
  const bool narrower = dtype_ == tensor::DType::float64 &&
                        is_more_precise(tensor::DType::float32, request_.recorded);
  if (failure.kind() != ErrorKind::model || !narrower) {
    throw Error(failure.kind(), "the truth of case '" + one.name + "' cannot be run in " + name() +
                                    " (leave --truth out to record without it): " + failure.what());
  }
  fallen_back_ =
      "it is in float32, because the model does not run in " + name() + ": " + failure.what();
  notes_.push_back("truth: from case '" + one.name + "' on " + fallen_back_);
  model_.reset();
  dtype_ = tensor::DType::float32;
}

/// Empty where values are missing to force the run with.
OwnErrors TruthRecorder::own_errors_of(std::size_t case_index, const TruthCase& one) {
  if (request_.store.mode != run::StoreMode::full) return {};
  progress_.begin("what each layer of " + one.name + " is wrong by itself", 0);
  RecordedTaps recorded(writer_, case_index);
  OwnErrors errors = own_errors(*model_, one.inputs, filter_, recorded, writer_.truth_taps());
  progress_.end();
  return errors;
}

void TruthRecorder::record_case(std::size_t case_index, const TruthCase& one) {
  progress_.begin("truth of " + one.name, 0);
  const OutputDigests plain = trial(one);
  writer_.begin_truth(case_index, dtype_);
  GoldenSink sink(writer_, request_.store, *model_, one.inputs, progress_);
  // Taps that cannot be captured were named when the case itself was recorded.
  (void)run_tapped(*model_, one.inputs, model::Instrumentation::taps, filter_, sink);
  progress_.end();
  std::vector<std::string> notes = changed_by_taps(plain, sink.output_digests());
  for (const std::string& text : notes) notes_.push_back("truth of case " + one.name + ": " + text);
  if (!fallen_back_.empty()) notes.push_back(fallen_back_);
  const OwnErrors own = own_errors_of(case_index, one);
  if (!own.unknown.empty())
    notes.push_back("what the recording is wrong by itself is not known: " + own.unknown);
  writer_.end_truth(notes, own.nrmse);
}

}  // namespace

run::Settings truth_settings(const run::Settings& recorded, const TruthChoice& choice,
                             tensor::DType dtype) {
  run::Settings settings = recorded;
  settings.rounded_to = recorded.dtype;
  settings.dtype = dtype;
  if (choice.device == TruthDevice::cpu) {
    settings.device = "cpu";
    settings.devices.clear();  // those are what the truth is to judge
  }
  settings.fp32_precision = run::Fp32Precision::ieee;
  settings.sdpa = run::Sdpa::math;
  return settings;
}

tensor::DType dtype_of_run(const run::Settings& settings, const run::ModelDescription& model) {
  if (settings.dtype) return *settings.dtype;
  std::optional<tensor::DType> widest;
  for (const run::WeightDigest& weight : model.weights) {
    if (!tensor::is_floating(weight.dtype)) continue;
    if (!widest || is_more_precise(weight.dtype, *widest)) widest = weight.dtype;
  }
  return widest.value_or(tensor::DType::float32);
}

void refuse_useless_truth(tensor::DType truth, tensor::DType recorded) {
  if (is_more_precise(truth, recorded)) return;
  const bool at_the_top = recorded == tensor::DType::float64;
  throw Error(ErrorKind::usage,
              "--truth " + std::string(tensor::name(truth)) +
                  " is no more precise than the recording in " +
                  std::string(tensor::name(recorded)) +
                  (at_the_top ? ", and nothing is: leave --truth out" : "; take --truth float64"));
}

std::vector<std::string> record_truth(const OpenModel& open, golden_store::GoldenWriter& writer,
                                      const TruthRequest& request,
                                      const std::vector<TruthCase>& cases, Progress& progress) {
  TruthRecorder recorder(open, writer, request, progress);
  for (std::size_t i = 0; i < cases.size(); ++i) recorder.record_case(i, cases[i]);
  return recorder.notes();
}

}  // namespace parity::pipeline
