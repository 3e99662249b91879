// Replay: the golden's cases run on this host and every tap is compared as it comes.
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "host/machine.h"
#include "pipeline/case_comparison.h"
#include "pipeline/compare.h"
#include "pipeline/golden_sink.h"
#include "pipeline/report_assembly.h"
#include "pipeline/tapped_run.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Compares each captured tap and, when asked, writes it to the candidate's own golden.
class ComparingSink final : public capture::TapConsumer {
 public:
  ComparingSink(CaseComparison& comparison, GoldenSink* save, Progress& progress)
      : comparison_(comparison), save_(save), progress_(progress) {}

  void consume(const run::TapId& id, const tensor::TensorView& value) override {
    run::TapRecord record;
    record.id = id;
    record.dtype = value.dtype;
    record.shape = value.shape;
    if (comparison_.needs_digest(id)) record.digest = tensor::digest_of(value.bytes);
    comparison_.add({record, value});
    if (save_ != nullptr) save_->consume(id, value);
    progress_.tap_done(value.bytes.size());
  }

 private:
  CaseComparison& comparison_;
  GoldenSink* save_;
  Progress& progress_;
};

class Replay {
 public:
  Replay(const ReplayRequest& request, const golden_store::GoldenReader& golden, Progress& progress)
      : request_(request),
        golden_(golden),
        progress_(progress),
        settings_(replay_settings(request.settings, request.compare.overrides,
                                  golden.header().provenance)),
        taps_(replay_taps(request.compare.overrides, golden.header().provenance)),
        filter_(taps_.layers, taps_.skip) {
    if (request.save)
      writer_ =
          std::make_unique<golden_store::GoldenWriter>(*request.save, golden_store::WriteOptions{});
    model_ = model::open_model(request.source, settings_);
  }

  [[nodiscard]] report::Report compare_all();

 private:
  [[nodiscard]] gate::Policy policy() const;
  [[nodiscard]] run::Provenance provenance() const;
  void compare_case(std::size_t case_index, const CompareChoice& choice, report::Report& report);
  void finish_save() const;

  const ReplayRequest& request_;
  const golden_store::GoldenReader& golden_;
  Progress& progress_;
  run::Settings settings_;
  TapChoice taps_;
  capture::TapFilter filter_;
  std::unique_ptr<golden_store::GoldenWriter> writer_;
  std::unique_ptr<model::Model> model_;
};

gate::Policy Replay::policy() const {
  gate::Policy policy = gate::default_policy();
  // Whoever names a dtype at replay has asked for a comparison across dtypes.
  if (request_.settings.dtype) policy.dtype_difference = gate::DtypeDifference::allowed;
  return policy;
}

run::Provenance Replay::provenance() const {
  run::Provenance facts = model_->provenance();
  facts.merge(host::machine_facts());
  record_capture(facts, settings_, taps_);
  return facts;
}

void Replay::compare_case(std::size_t case_index, const CompareChoice& choice,
                          report::Report& report) {
  const run::CaseRecord& record = golden_.cases()[case_index];
  const tensor::Value inputs = golden_.read_inputs(case_index);
  CaseComparison comparison(golden_, case_index, filter_, choice);
  progress_.begin("compare " + record.name, comparison.wanted_taps());
  NoProgress unwatched;
  std::optional<GoldenSink> save;
  if (writer_ != nullptr) {
    writer_->begin_case(record.name, inputs);
    save.emplace(*writer_, StoreChoice{}, *model_, inputs, unwatched);
  }
  ComparingSink sink(comparison, save ? &*save : nullptr, progress_);
  const Clock::time_point start = Clock::now();
  const std::vector<run::SkippedTap> skipped =
      run_tapped(*model_, inputs, model::Instrumentation::taps, filter_, sink);
  report.timing.forward_s += seconds_since(start);
  if (writer_ != nullptr) writer_->end_case(skipped, {});
  progress_.end();
  report.timing.compare_s += comparison.compare_s();
  report.totals.bytes += comparison.size_bytes();
  report.cases.push_back(comparison.finish());
}

void Replay::finish_save() const {
  if (writer_ == nullptr) return;
  writer_->finish({model_->description(), provenance(), model_->notes()});
}

report::Report Replay::compare_all() {
  const std::vector<std::string> weight_notes =
      check_weights(compare::Reference{golden_.header().model},
                    compare::Candidate{model_->description()}, request_.compare.weights);
  const gate::Policy rules = policy();
  const CompareChoice choice{&rules, request_.compare.worst_count,
                             static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
  report::Report report =
      begin_report({request_.compare.golden.string(), golden_.header(), "", provenance()}, rules,
                   request_.compare.command);
  for (std::size_t i = 0; i < golden_.cases().size(); ++i) compare_case(i, choice, report);
  refuse_unmatched_globs(filter_.unmatched());
  finish_save();
  for (const std::string& note : weight_notes) report.notes.push_back(note);
  for (const std::string& note : model_->notes()) report.notes.push_back(note);
  conclude(report, rules, request_.compare.strictness);
  return report;
}

void refuse_saving_over(const ReplayRequest& request) {
  std::error_code ignored;
  if (request.save && std::filesystem::equivalent(*request.save, request.compare.golden, ignored)) {
    throw Error(ErrorKind::usage, "--save would overwrite the golden " + request.save->string() +
                                      " that it is compared with; name another file");
  }
}

}  // namespace

report::Report compare_replay(const ReplayRequest& request, Progress& progress) {
  const Clock::time_point start = Clock::now();
  refuse_saving_over(request);
  const golden_store::GoldenReader golden(request.compare.golden);
  report::Report report = Replay(request, golden, progress).compare_all();
  report.timing.total_s = seconds_since(start);
  return report;
}

}  // namespace parity::pipeline
