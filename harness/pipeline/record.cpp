#include "pipeline/record.h"

#include <chrono>
#include <memory>
#include <set>

#include "error/error.h"
#include "host/machine.h"
#include "model/inputs.h"
#include "pipeline/tapped_run.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

void check_request(const RecordRequest& request) {
  if (request.cases.empty()) {
    throw Error(ErrorKind::usage, "nothing to record: give at least one --inputs");
  }
  std::set<std::string> names;
  for (const CaseInput& input : request.cases) {
    if (!names.insert(input.name).second) {
      throw Error(ErrorKind::usage, "two inputs are named '" + input.name +
                                        "': name them apart, as in --inputs a=" + input.spec +
                                        " b=...");
    }
  }
}

/// Names the outputs whose digests differ between the plain and the tapped run.
std::vector<std::string> taps_changed_output(const OutputDigests& plain,
                                             const OutputDigests& tapped) {
  std::vector<std::string> notes;
  for (const auto& [name, digest] : plain) {
    const auto found = tapped.find(name);
    if (found == tapped.end() || found->second != digest) {
      notes.push_back(
          "looking changed the result: " + name +
          " of the tapped run differs from the plain run's; the device or the model is not "
          "deterministic, or a fusion is lost when taps are inserted");
    }
  }
  return notes;
}

class Recorder {
 public:
  Recorder(const RecordRequest& request, Progress& progress)
      : request_(request),
        progress_(progress),
        writer_(request.out, {request.compression_level}),
        model_(model::open_model(request.source, request.settings)),
        filter_(request.taps.layers, request.taps.skip) {}

  void record_case(const CaseInput& input);
  RecordSummary finish();

 private:
  void note(const std::string& text);

  const RecordRequest& request_;
  Progress& progress_;
  // First, so that a place that cannot be written is refused before the model is loaded.
  golden_store::GoldenWriter writer_;
  std::unique_ptr<model::Model> model_;
  capture::TapFilter filter_;
  RecordSummary summary_;
};

void Recorder::note(const std::string& text) {
  for (const std::string& known : summary_.notes) {
    if (known == text) return;
  }
  summary_.notes.push_back(text);
}

void Recorder::record_case(const CaseInput& input) {
  const tensor::Value inputs =
      model::load_inputs(input.spec, request_.settings.seed, model_->vocabulary());
  OutputDigestSink plain;
  capture::TapFilter everything({}, {});
  (void)run_tapped(*model_, inputs, model::Instrumentation::outputs_only, everything, plain);

  progress_.begin("record " + input.name, 0);
  writer_.begin_case(input.name, inputs);
  GoldenSink sink(writer_, request_.store, *model_, inputs, progress_);
  const Clock::time_point start = Clock::now();
  const std::vector<run::SkippedTap> skipped =
      run_tapped(*model_, inputs, model::Instrumentation::taps, filter_, sink);
  summary_.forward_s += std::chrono::duration<double>(Clock::now() - start).count();
  if (sink.tap_count() == 0) {
    throw Error(ErrorKind::model,
                "no tap fired in case '" + input.name + "', so there is nothing to compare later");
  }
  std::vector<std::string> notes =
      taps_changed_output(plain.output_digests(), sink.output_digests());
  for (const std::string& text : notes) note("case " + input.name + ": " + text);
  writer_.end_case(skipped, notes);
  progress_.end();
  ++summary_.cases;
  summary_.taps += sink.tap_count();
  summary_.size_bytes += sink.size_bytes();
}

RecordSummary Recorder::finish() {
  refuse_unmatched_globs(filter_.unmatched());
  run::RecordingHeader header;
  header.model = model_->description();
  header.provenance = model_->provenance();
  header.provenance.merge(host::machine_facts());
  record_capture(header.provenance, request_.settings, request_.taps);
  header.notes = model_->notes();
  for (const std::string& text : header.notes) note(text);
  writer_.finish(header);
  summary_.file_bytes = std::filesystem::file_size(request_.out);
  return summary_;
}

}  // namespace

RecordSummary record(const RecordRequest& request, Progress& progress) {
  check_request(request);
  Recorder recorder(request, progress);
  for (const CaseInput& input : request.cases) recorder.record_case(input);
  return recorder.finish();
}

}  // namespace parity::pipeline
