#include "pipeline/record/record.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "error/error.h"
#include "model/device_choice.h"
#include "pipeline/record/load_model.h"
#include "pipeline/record/noise_recording.h"
#include "pipeline/record/plain_run.h"
#include "pipeline/record/run_provenance.h"
#include "pipeline/record/tapped_run.h"
#include "pipeline/record/uncaptured.h"
#include "pipeline/shard/case_share.h"
#include "pipeline/shard/run_id.h"
#include "run/timeline.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

void check_request(const RecordRequest& request) {
  check_cases(request.cases);
  if (!request.truth.dtype) return;
  if (request.store.mode == run::StoreMode::digest) {
    throw Error(ErrorKind::usage,
                "--truth needs values to measure, and --store digest keeps none: record with "
                "--store full or rows:N, or without --truth");
  }
  if (request.settings.dtype) refuse_useless_truth(*request.truth.dtype, *request.settings.dtype);
}

enum class CaseFate : std::uint8_t { recorded, left_out };

class Recorder {
 public:
  Recorder(model::Model& model, golden_store::GoldenWriter& writer, const RecordRequest& request,
           Progress& progress)
      : model_(model),
        writer_(writer),
        request_(request),
        progress_(progress),
        filter_(request.taps.layers, request.taps.skip) {}

  /// `position`: among all cases of the request.
  [[nodiscard]] CaseFate record_case(std::size_t position, tensor::Value& inputs);
  [[nodiscard]] run::RecordingHeader header();
  [[nodiscard]] const RecordSummary& summary() const { return summary_; }
  [[nodiscard]] const std::vector<run::LeftOutCase>& left_out() const { return left_out_; }

 private:
  void note(const std::string& text);
  void refuse_truth_of_random_numbers(const std::string& case_name) const;
  [[nodiscard]] std::optional<OutputDigests> plain_run(std::size_t position, tensor::Value& inputs);
  [[nodiscard]] std::vector<std::string> with_repeats(const std::string& name,
                                                      const tensor::Value& inputs,
                                                      std::vector<std::string> notes);

  model::Model& model_;
  golden_store::GoldenWriter& writer_;
  const RecordRequest& request_;
  Progress& progress_;
  capture::TapFilter filter_;
  std::uint64_t taps_per_case_ =
      0;  ///< of the case before: what the next one will have, near enough for a bar
  std::vector<run::LeftOutCase> left_out_;
  RecordSummary summary_;
};

void Recorder::note(const std::string& text) {
  if (std::find(summary_.notes.begin(), summary_.notes.end(), text) == summary_.notes.end()) {
    summary_.notes.push_back(text);
  }
}

/// `notes` of the case, and what its repeats add to them.
std::vector<std::string> Recorder::with_repeats(const std::string& name,
                                                const tensor::Value& inputs,
                                                std::vector<std::string> notes) {
  if (request_.repeats == 0) return notes;
  progress_.begin("repeat " + name, writer_.taps(summary_.cases).size() *
                                        static_cast<std::uint64_t>(request_.repeats));
  const RepeatedCase repeated =
      repeat_case(model_, inputs, filter_, writer_, summary_.cases, request_.repeats, progress_);
  progress_.end();
  writer_.add_noise(repeated.noise);
  summary_.noisy_taps += repeated.noise.taps.size();
  if (const std::string text = noise_remark(name, repeated.noise, writer_.taps(summary_.cases));
      !text.empty()) {
    note(text);
  }
  for (const std::string& text : repeated.notes) {
    note("case " + name + ": " + text);
    notes.push_back(text);
  }
  return notes;
}

/// A run in another dtype would be off by other random numbers, and judge nearly anything closer.
void Recorder::refuse_truth_of_random_numbers(const std::string& case_name) const {
  if (!request_.truth.dtype || !model_.draws_random_numbers()) return;
  throw Error(ErrorKind::usage,
              "the model draws random numbers in case '" + case_name +
                  "', and draws others in another dtype, so it has no truth; record without "
                  "--truth, or save the model with its random operators off (eval mode)");
}

/// nullopt for a case that the model is not made for and that need not be there. Where tokens are
/// to be decoded, they are part of the inputs from here on: every run of the case is fed the same
/// ones.
std::optional<OutputDigests> Recorder::plain_run(std::size_t position, tensor::Value& inputs) {
  const CaseInput& input = request_.cases[position];
  if (input.need == Need::optional) {
    if (const std::string refusal = model_.refusal_of(inputs); !refusal.empty()) {
      left_out_.push_back({position, "case " + input.name + " was left out: " + refusal});
      return std::nullopt;
    }
  }
  return naming_case(input.name, request_.cases.size(), [&] {
    if (request_.decode_steps > 0) {
      progress_.begin("decode " + input.name, 0);
      inputs = model_.with_greedy_tokens(inputs, request_.decode_steps);
      progress_.end();
    }
    progress_.begin("plain run of " + input.name, 0);
    OutputDigests plain = plain_outputs(model_, inputs);
    progress_.end();
    refuse_truth_of_random_numbers(input.name);
    return plain;
  });
}

CaseFate Recorder::record_case(std::size_t position, tensor::Value& inputs) {
  const std::string& name = request_.cases[position].name;
  const std::optional<OutputDigests> plain = plain_run(position, inputs);
  if (!plain) return CaseFate::left_out;

  progress_.begin("record " + name, taps_per_case_);
  writer_.begin_case(name, inputs);
  GoldenSink sink(writer_, request_.store, model_, inputs, progress_);
  const Clock::time_point start = Clock::now();
  const std::vector<run::SkippedTap> skipped =
      run_tapped(model_, inputs, model::Instrumentation::taps, filter_, sink);
  summary_.forward_s += std::chrono::duration<double>(Clock::now() - start).count();
  progress_.end();
  if (sink.tap_count() == 0) {
    throw Error(ErrorKind::model,
                "no tap fired in case '" + name + "', so there is nothing to compare later");
  }
  if (summary_.cases == 0) refuse_unmatched_globs(filter_.unmatched());
  if (const std::string text = filter_.remark(); !text.empty()) note(text);
  const std::vector<std::string> notes = changed_by_taps(*plain, sink.output_digests());
  for (const std::string& text : notes) note("case " + name + ": " + text);
  if (const std::string text = uncaptured_remark(skipped); !text.empty())
    note("case " + name + ": " + text);
  writer_.end_case(skipped, with_repeats(name, inputs, notes));
  taps_per_case_ = sink.tap_count();
  ++summary_.cases;
  summary_.taps += sink.tap_count();
  summary_.size_bytes += sink.size_bytes();
  return CaseFate::recorded;
}

run::RecordingHeader Recorder::header() {
  run::RecordingHeader header;
  header.model = model_.description();
  header.provenance = run_provenance(model_, request_.settings, request_.taps, request_.probing);
  header.notes = model_.notes();
  for (const run::LeftOutCase& one : left_out_) header.notes.push_back(one.note);
  for (const std::string& text : header.notes) note(text);
  return header;
}

/// What is left of a recorded model once it is closed.
struct Recorded {
  run::RecordingHeader header;
  RecordSummary summary;
  std::optional<run::ShardRecord> shard;
};

/// Drops the inputs of the cases that other shards record.
run::ShardRecord keep_own_cases(const RecordRequest& request, const run::ModelDescription& model,
                                EarlyInputs& inputs) {
  run::ShardRecord record;
  record.shard = request.shard.value().shard;
  record.run = run_id(request, model, inputs);
  record.flags = run_flags(request);
  record.case_count = inputs.size();
  std::vector<std::uint64_t> sizes;
  for (const std::optional<tensor::Value>& one : inputs) sizes.push_back(size_of(one.value()));
  const std::vector<std::size_t> share = share_of_cases(sizes, record.shard.count);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (share[i] != record.shard.index) inputs[i].reset();
  }
  return record;
}

/// Inputs of cases that are left out are dropped.
Recorded record_all(model::Model& model, golden_store::GoldenWriter& writer,
                    const RecordRequest& request, EarlyInputs& inputs, Progress& progress) {
  if (request.truth.dtype)
    refuse_useless_truth(*request.truth.dtype, dtype_of_run(request.settings, model.description()));
  load_late(inputs, request.cases, request.settings.seed, model);
  std::optional<run::ShardRecord> shard;
  if (request.shard) shard = keep_own_cases(request, model.description(), inputs);
  Recorder recorder(model, writer, request, progress);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    if (recorder.record_case(i, *inputs[i]) == CaseFate::left_out) {
      inputs[i].reset();
    } else if (shard) {
      shard->positions.push_back(i);
    }
  }
  run::RecordingHeader header = recorder.header();
  if (shard) {
    shard->left_out = recorder.left_out();
    // Which GPU was taken, that nobody named.
    if (request.shard->local_rank && request.settings.device.rfind("cuda:", 0) == 0)
      header.provenance.set("run.device", request.settings.device);
  } else if (recorder.summary().cases == 0) {
    throw Error(ErrorKind::model, "no case could be recorded; " + header.notes.back());
  }
  return {std::move(header), recorder.summary(), std::move(shard)};
}

void add_truth(Recorded& recorded, const OpenModel& open, golden_store::GoldenWriter& writer,
               const RecordRequest& request, const EarlyInputs& inputs, Progress& progress) {
  std::vector<TruthCase> cases;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) cases.push_back({request.cases[i].name, *inputs[i]});
  }
  const TruthRequest truth{
      request.truth,       request.settings,  dtype_of_run(request.settings, recorded.header.model),
      request.taps.layers, request.taps.skip, request.store};
  recorded.header.provenance.set(
      "run.truth_device", request.truth.device == TruthDevice::cpu ? "cpu" : "the recording's");
  for (const std::string& note : record_truth(open, writer, truth, cases, progress)) {
    recorded.summary.notes.push_back(note);
    recorded.header.notes.push_back(note);
  }
}

RecordSummary finish(Recorded recorded, golden_store::GoldenWriter& writer,
                     const RecordRequest& request) {
  {
    const run::WorkSpan span("seal and sync");
    writer.finish(recorded.header, recorded.shard);
  }
  recorded.summary.file_bytes = std::filesystem::file_size(request.out);
  return recorded.summary;
}

/// The recorded model is closed before the truth's is opened: the memory of one model is enough.
RecordSummary record_with_truth(std::unique_ptr<model::Model> model, const OpenModel& open,
                                golden_store::GoldenWriter& writer, const RecordRequest& request,
                                EarlyInputs inputs, Progress& progress) {
  Recorded recorded = record_all(*model, writer, request, inputs, progress);
  model.reset();
  if (request.truth.dtype) add_truth(recorded, open, writer, request, inputs, progress);
  return finish(std::move(recorded), writer, request);
}

}  // namespace

RecordSummary record_cases(std::unique_ptr<model::Model> model, const OpenModel& open,
                           golden_store::GoldenWriter& writer, const RecordRequest& request,
                           Progress& progress) {
  check_request(request);
  return record_with_truth(std::move(model), open, writer, request,
                           load_early(request.cases, request.settings.seed, request.source.model),
                           progress);
}

RecordSummary record_cases(model::Model& model, golden_store::GoldenWriter& writer,
                           const RecordRequest& request, Progress& progress) {
  check_request(request);
  PARITY_CHECK(!request.truth.dtype);
  EarlyInputs inputs = load_early(request.cases, request.settings.seed, request.source.model);
  return finish(record_all(model, writer, request, inputs, progress), writer, request);
}

RecordSummary record(const RecordRequest& request, Progress& progress) {
  check_request(request);
  EarlyInputs inputs = load_early(request.cases, request.settings.seed, request.source.model);
  // Before the model, so that a place that cannot be written is refused at once.
  golden_store::GoldenWriter writer(request.out, {request.compression});
  RecordRequest placed = request;
  if (request.shard && request.shard->local_rank) {
    placed.settings.device =
        model::device_of_local_rank(request.settings.device, *request.shard->local_rank);
  }
  const OpenModel open = [&](const run::Settings& settings) {
    return load_model(placed.source, settings);
  };
  progress.begin("load the model", 0);
  std::unique_ptr<model::Model> model = open(placed.settings);
  progress.end();
  return record_with_truth(std::move(model), open, writer, placed, std::move(inputs), progress);
}

}  // namespace parity::pipeline
