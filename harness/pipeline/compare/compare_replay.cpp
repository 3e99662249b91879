// Replay: the golden's cases run on this host and every tap is compared as it comes.
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/attribute/attribution.h"
#include "pipeline/attribute/forced_run.h"
#include "pipeline/attribute/reproducer.h"
#include "pipeline/compare/case_comparison.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/comparing_sink.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/map_in_report.h"
#include "pipeline/compare/mapped_taps.h"
#include "pipeline/compare/report_assembly.h"
#include "pipeline/compare/side_digests.h"
#include "pipeline/compare/truth_source.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/policy_check.h"
#include "pipeline/record/case_inputs.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/load_model.h"
#include "pipeline/record/plain_run.h"
#include "pipeline/record/run_provenance.h"
#include "pipeline/record/tapped_run.h"
#include "pipeline/shard/part_remark.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Replay {
 public:
  Replay(model::Model& model, const golden_store::GoldenReader& golden,
         golden_store::GoldenWriter* save, const ReplayRequest& request, Progress& progress)
      : model_(model),
        golden_(golden),
        save_(save),
        request_(request),
        progress_(progress),
        settings_(replay_settings(request.settings, request.compare.overrides,
                                  golden.header().provenance)),
        taps_(replay_taps(request.compare.overrides, golden.header().provenance)),
        truth_(golden, request.compare.truth, request.compare.weights),
        filter_(taps_.layers, taps_.skip) {}

  [[nodiscard]] report::Report compare_all();

 private:
  [[nodiscard]] CompareChoice choice() const;
  [[nodiscard]] const name_map::NameMap* map() const {
    return request_.compare.map ? &*request_.compare.map : nullptr;
  }
  /// Of the run itself: a map's names are the golden's, and the model does not know them.
  [[nodiscard]] capture::TapFilter& capture_filter() {
    return map() == nullptr ? filter_ : everything_;
  }
  /// Empty where it is the golden's.
  [[nodiscard]] std::string asked_dtype() const;
  [[nodiscard]] run::Provenance provenance() const;
  void refuse_layers_the_golden_lacks() const;
  void add_own_weights(report::Attribution& attribution) const;
  void compare_case(std::size_t case_index, report::Report& report);
  [[nodiscard]] report::Case compare_forced(std::size_t case_index, const tensor::Value& inputs,
                                            report::Timing& timing);

  model::Model& model_;
  const golden_store::GoldenReader& golden_;
  golden_store::GoldenWriter* save_;
  const ReplayRequest& request_;
  Progress& progress_;
  const run::Settings settings_;
  const TapChoice taps_;
  const TruthSource truth_;
  capture::TapFilter filter_;
  capture::TapFilter everything_{{}, {}};
  std::vector<std::vector<ForcedPlace>> forced_places_;  ///< by case, see OperatorSearch
};

CompareChoice Replay::choice() const { return {request_.compare.worst_count, compare_threads()}; }

std::string Replay::asked_dtype() const {
  if (!request_.settings.dtype) return {};
  std::string asked(tensor::name(*request_.settings.dtype));
  return golden_.header().provenance.get("switch.dtype") == asked ? std::string{} : asked;
}

run::Provenance Replay::provenance() const {
  return run_provenance(model_, settings_, taps_, request_.probing);
}

/// A glob that was typed is checked against the golden before anything runs.
void Replay::refuse_layers_the_golden_lacks() const {
  if (!request_.compare.overrides.layers) return;
  capture::TapFilter typed(*request_.compare.overrides.layers, {});
  for (const run::CaseRecord& record : golden_.cases()) {
    for (const run::TapRecord& tap : record.taps) (void)typed.keeps(tap.id);
  }
  refuse_unmatched_globs(typed.unmatched());
}

void Replay::compare_case(std::size_t case_index, report::Report& report) {
  const run::CaseRecord& record = golden_.cases()[case_index];
  const tensor::Value inputs = golden_.read_inputs(case_index);
  ReferenceTaps reference(golden_, case_index);
  const std::optional<TruthTaps> truth = truth_.of_case(record.name);
  CaseComparison comparison(reference, truth ? &*truth : nullptr, filter_, choice());
  NoProgress unwatched;
  std::optional<GoldenSink> saved;
  OutputDigests plain;
  if (save_ != nullptr) {
    plain = plain_outputs(model_, inputs);
    save_->begin_case(record.name, inputs);
    saved.emplace(*save_, StoreChoice{}, model_, inputs, unwatched);
  }
  MappedTaps mapped({map(), report.name_map ? &*report.name_map : nullptr}, record, comparison,
                    filter_);
  ComparingSink sink(mapped, saved ? &*saved : nullptr, progress_);
  progress_.begin("compare " + record.name, comparison.wanted_taps());
  const Clock::time_point start = Clock::now();
  const std::vector<run::SkippedTap> skipped =
      run_tapped(model_, inputs, model::Instrumentation::taps, capture_filter(), sink);
  mapped.finish();
  report.timing.forward_s += seconds_since(start);
  progress_.end();
  std::vector<std::string> notes;
  if (saved) {
    notes = changed_by_taps(plain, saved->output_digests());
    save_->end_case(skipped, notes);
  }
  mapped.add_remarks(skipped, notes);
  report.timing.compare_s += comparison.compare_s();
  report.totals.bytes += comparison.size_bytes();
  report.cases.push_back(comparison.finish());
  add_decode({{inputs}, {inputs}}, passes_of(inputs, record), report.cases.back());
  if (request_.attribution == AttributionPass::forced)
    add_introduced(compare_forced(case_index, inputs, report.timing), report.cases.back());
}

/// Where the layer that is most to blame has other weights than the golden's, that explains it.
void Replay::add_own_weights(report::Attribution& attribution) const {
  if (attribution.blame.empty()) return;
  const run::ModelDescription named =
      map() == nullptr ? model_.description() : name_map::renamed(*map(), model_.description());
  const std::string own =
      own_weights_text(compare::Reference{golden_.header().model}, compare::Candidate{named},
                       attribution.blame.front().tap.path);
  if (!own.empty()) attribution.sentence += "; " + own;
}

/// The second pass of a case: each tap against the golden when everything before it is the
/// golden's.
report::Case Replay::compare_forced(std::size_t case_index, const tensor::Value& inputs,
                                    report::Timing& timing) {
  ReferenceTaps reference(golden_, case_index);
  CaseComparison comparison(reference, nullptr, filter_, choice());
  MappedTaps mapped({map(), nullptr}, reference.record(), comparison, filter_);
  ComparingSink sink(mapped, nullptr, progress_);
  progress_.begin("attribute " + reference.record().name, comparison.wanted_taps());
  const Clock::time_point start = Clock::now();
  ForcedRun forced =
      run_forced(model_, inputs, capture_filter(), sink, reference, {map(), filter_});
  mapped.finish();
  timing.forced_s += seconds_since(start);
  progress_.end();
  timing.compare_s += comparison.compare_s();
  comparison.add_remarks({}, forced.remarks);
  forced_places_.push_back(std::move(forced.places));
  return comparison.finish();
}

report::Report Replay::compare_all() {
  const std::vector<std::string> weight_notes = check_mapped_weights(
      compare::Reference{golden_.header().model}, compare::Candidate{model_.description()}, map(),
      request_.compare.weights);
  refuse_layers_the_golden_lacks();
  if (request_.attribution == AttributionPass::forced) require_full_taps(golden_);
  const gate::RuleBook& policy = request_.compare.policy;
  check_policy(policy, golden_, asked_dtype(),
               {measured_by(request_.attribution), measured_against(truth_.file())});
  report::Report report = begin_report({request_.compare.golden.string(), golden_.header(), "", {}},
                                       request_.compare.command);
  if (map() != nullptr) report.name_map = begin_mapping(*map());
  report.asked_dtype = asked_dtype();
  report.truth_file = truth_.file();
  if (const std::string text = part_remark(golden_); !text.empty()) report.notes.push_back(text);
  for (std::size_t i = 0; i < golden_.cases().size(); ++i) {
    naming_case(golden_.cases()[i].name, golden_.cases().size(), [&] { compare_case(i, report); });
  }
  report.reference.digests = digests_of(golden_);
  report.candidate.digests = digests_of(model_.description());
  refuse_unmatched_globs(filter_.unmatched());
  if (const std::string text = filter_.remark(); !text.empty()) report.notes.push_back(text);
  set_candidate(report, provenance());  // of a model that has run, with the libraries it loaded
  if (save_ != nullptr)
    save_->finish({model_.description(), report.candidate.provenance, model_.notes()});
  for (const std::string& note : weight_notes) report.notes.push_back(note);
  for (const std::string& note : truth_.notes()) report.notes.push_back(note);
  for (const std::string& note : model_.notes()) report.notes.push_back("candidate: " + note);
  if (request_.attribution == AttributionPass::forced) {
    report.attribution = attribution_of(report);
    add_own_weights(*report.attribution);
  }
  if (request_.attribution == AttributionPass::forced &&
      request_.operators == OperatorPass::into_the_blamed) {
    try {
      find_operators(
          model_, golden_,
          {settings_, request_.source.libraries, request_.reproducer, forced_places_, map()},
          report);
    } catch (const Error& error) {
      // What was found so far must not be lost with it.
      report.notes.push_back("the pass for the operators behind the blame failed: " +
                             std::string(error.what()));
      if (request_.reproducer) report.reproducer_failure = error.what();
    }
  }
  add_mapping_notes(report);
  add_noise_summary(report);
  judge_report(report, policy, request_.compare.strictness);
  return report;
}

}  // namespace

model::Source replay_source(model::Source source, const golden_store::GoldenReader& golden) {
  const std::string_view method = golden.header().provenance.get("model.method");
  if (source.method.empty() && method != "forward") source.method = method;
  return source;
}

report::Report replay_cases(model::Model& model, const golden_store::GoldenReader& golden,
                            golden_store::GoldenWriter* save, const ReplayRequest& request,
                            Progress& progress) {
  return Replay(model, golden, save, request, progress).compare_all();
}

report::Report compare_replay(const ReplayRequest& request, Progress& progress) {
  const Clock::time_point start = Clock::now();
  if (request.reproducer) require_empty(*request.reproducer);
  const golden_store::GoldenReader golden(request.compare.golden);
  std::unique_ptr<golden_store::GoldenWriter> save;
  if (request.save)
    save =
        std::make_unique<golden_store::GoldenWriter>(*request.save, golden_store::WriteOptions{});
  progress.begin("load the model", 0);
  const std::unique_ptr<model::Model> model = load_model(
      replay_source(request.source, golden),
      replay_settings(request.settings, request.compare.overrides, golden.header().provenance));
  progress.end();
  report::Report report = replay_cases(*model, golden, save.get(), request, progress);
  report.timing.total_s = seconds_since(start);
  return report;
}

}  // namespace parity::pipeline
