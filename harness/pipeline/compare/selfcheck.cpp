#include "pipeline/compare/selfcheck.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "gate/pair_classes.h"
#include "gate/rule_check.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "pipeline/compare/batch_rows.h"
#include "pipeline/compare/case_comparison.h"
#include "pipeline/compare/comparing_sink.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/report_assembly.h"
#include "pipeline/compare/row_comparison.h"
#include "pipeline/compare/side_digests.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/policy_check.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/load_model.h"
#include "pipeline/record/plain_run.h"
#include "pipeline/record/run_provenance.h"
#include "pipeline/record/scratch_file.h"
#include "pipeline/record/tapped_run.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

/// One input of the request, and where its runs are in the temporary golden.
struct Recorded {
  std::string name;
  std::size_t case_index = 0;
  std::int64_t batch = 0;  ///< 0: it has none that could be run
  std::size_t batch_index = 0;
};

class Selfcheck {
 public:
  Selfcheck(model::Model& model, const SelfcheckRequest& request, Progress& progress)
      : model_(model),
        request_(request),
        progress_(progress),
        filter_(request.taps.layers, request.taps.skip) {}

  [[nodiscard]] report::Report run(const EarlyInputs& inputs);

 private:
  std::size_t record(golden_store::GoldenWriter& writer, const std::string& name,
                     const tensor::Value& inputs);
  [[nodiscard]] Recorded record_input(golden_store::GoldenWriter& writer, const std::string& name,
                                      const tensor::Value& inputs);
  [[nodiscard]] std::string row_refusal(const tensor::Value& inputs,
                                        std::optional<std::int64_t> batch) const;
  void record_batch(golden_store::GoldenWriter& writer, const tensor::Value& inputs,
                    Recorded& recorded);
  [[nodiscard]] run::RecordingHeader header() const;
  void check(const golden_store::GoldenReader& golden, const Recorded& recorded,
             report::Report& report);
  [[nodiscard]] report::Case again(const golden_store::GoldenReader& golden, std::size_t case_index,
                                   model::Instrumentation instrumentation, report::Report& report);
  void check_rows(const golden_store::GoldenReader& golden, const Recorded& recorded,
                  report::Report& report);
  [[nodiscard]] CompareChoice choice() const { return {request_.worst_count, compare_threads()}; }

  model::Model& model_;
  const SelfcheckRequest& request_;
  Progress& progress_;
  capture::TapFilter filter_;
  std::size_t case_count_ = 0;
  std::vector<std::string> notes_;
};

/// The number of its case.
std::size_t Selfcheck::record(golden_store::GoldenWriter& writer, const std::string& name,
                              const tensor::Value& inputs) {
  progress_.begin("run " + name, 0);
  writer.begin_case(name, inputs);
  GoldenSink sink(writer, {}, model_, inputs, progress_);
  const std::vector<run::SkippedTap> skipped =
      run_tapped(model_, inputs, model::Instrumentation::taps, filter_, sink);
  progress_.end();
  if (sink.tap_count() == 0)
    throw Error(ErrorKind::model, "no tap fired for " + name + ", so there is nothing to compare");
  writer.end_case(skipped, {});
  return case_count_++;
}

/// What is known against the inputs with one row of a batch, or with more rows than one.
std::string Selfcheck::row_refusal(const tensor::Value& inputs,
                                   std::optional<std::int64_t> batch) const {
  if (!batch) return {};
  return model_.refusal_of(*batch > 1 ? one_row(inputs, *batch, 0)
                                      : with_neighbours(inputs, request_.rows));
}

Recorded Selfcheck::record_input(golden_store::GoldenWriter& writer, const std::string& name,
                                 const tensor::Value& inputs) {
  Recorded recorded{name, record(writer, name, inputs)};
  if (request_.rows == 0) return recorded;
  const std::optional<std::int64_t> batch = batch_size(inputs);
  const std::string refusal = row_refusal(inputs, batch);
  if (!refusal.empty()) {
    // An exported program may be made for some batch sizes alone.
    notes_.push_back(name + ": not checked row by row, since " + refusal);
  } else if (batch && *batch > 1) {
    recorded.batch = *batch;
    recorded.batch_index = recorded.case_index;
  } else if (batch && *batch == 1) {
    record_batch(writer, with_neighbours(inputs, request_.rows), recorded);
  } else {
    notes_.push_back(name + ": not checked row by row, since its inputs have no batch");
  }
  return recorded;
}

void Selfcheck::record_batch(golden_store::GoldenWriter& writer, const tensor::Value& inputs,
                             Recorded& recorded) {
  try {
    // Before the case is begun: a model may be made for one row alone.
    (void)plain_outputs(model_, inputs);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::model) throw;
    notes_.push_back(
        fmt::format("{}: not checked row by row, since the model does not run {} rows: "
                    "{}",
                    recorded.name, request_.rows, error.what()));
    return;
  }
  recorded.batch = request_.rows;
  recorded.batch_index =
      record(writer, fmt::format("{}, {} rows", recorded.name, request_.rows), inputs);
}

run::RecordingHeader Selfcheck::header() const {
  return {model_.description(),
          run_provenance(model_, request_.settings, request_.taps, run::Probing::off),
          {}};
}

/// By what was measured: a constant output is untrusted, and has the same bits all the same.
bool has_other_bits(const report::Tap& tap) {
  if (tap.outcome == report::Outcome::digest_equal) return false;
  return !tap.facts || !gate::is_identical(*tap.facts);
}

/// "a, run 2: 3 of 59 taps have other bits than in the first run, first at X"; empty when none has.
std::string other_bits(const report::Case& one) {
  const char* const where = one.same_run == report::SameRun::yes ? "the first run" : "the batch";
  std::size_t count = 0;
  std::string first;
  for (const report::Tap& tap : one.taps) {
    if (!has_other_bits(tap)) continue;
    if (count++ == 0) first = run::to_string(tap.id);
  }
  return count == 0 ? std::string{}
                    : fmt::format("{}: {} of {} taps have other bits than in {}, first at {}",
                                  one.name, count, one.taps.size(), where, first);
}

report::Case Selfcheck::again(const golden_store::GoldenReader& golden, std::size_t case_index,
                              model::Instrumentation instrumentation, report::Report& report) {
  const bool watched = instrumentation == model::Instrumentation::taps;
  capture::TapFilter outputs({std::string(run::kOutputPath)}, {});
  capture::TapFilter& filter = watched ? filter_ : outputs;
  ReferenceTaps reference(golden, case_index);
  const tensor::Value inputs = golden.read_inputs(case_index);
  CaseComparison comparison(reference, nullptr, filter, choice());
  MappedTaps taps({}, reference.record(), comparison, filter);
  ComparingSink sink(taps, nullptr, progress_);
  progress_.begin("run " + reference.record().name + " again", comparison.wanted_taps());
  const Clock::time_point start = Clock::now();
  comparison.add_remarks(run_tapped(model_, inputs, instrumentation, filter, sink), {});
  report.timing.forward_s += std::chrono::duration<double>(Clock::now() - start).count();
  progress_.end();
  report.timing.compare_s += comparison.compare_s();
  report.totals.bytes += comparison.size_bytes();
  report::Case one = comparison.finish();
  add_decode({{inputs}, {inputs}}, passes_of(inputs, reference.record()), one);
  one.same_run = report::SameRun::yes;
  one.recorded_as = one.name;
  return one;
}

void Selfcheck::check(const golden_store::GoldenReader& golden, const Recorded& recorded,
                      report::Report& report) {
  const auto add = [&](report::Case one, const std::string& what) {
    one.name = recorded.name + ", " + what;
    report.cases.push_back(std::move(one));
  };
  for (std::int64_t repeat = 0; repeat < request_.repeats; ++repeat) {
    add(again(golden, recorded.case_index, model::Instrumentation::taps, report),
        fmt::format("run {}", repeat + 2));
  }
  add(again(golden, recorded.case_index, model::Instrumentation::outputs_only, report),
      "without taps");
  check_rows(golden, recorded, report);
}

/// The first, a middle and the last row.
void Selfcheck::check_rows(const golden_store::GoldenReader& golden, const Recorded& recorded,
                           report::Report& report) {
  if (recorded.batch < 2) return;
  const tensor::Value inputs = golden.read_inputs(recorded.batch_index);
  const Passes passes = passes_of(inputs, golden.cases()[recorded.batch_index]);
  for (const std::int64_t row : std::set<std::int64_t>{0, recorded.batch / 2, recorded.batch - 1}) {
    const std::string name =
        fmt::format("{}, row {} of {} alone", recorded.name, row, recorded.batch);
    progress_.begin(name, golden.cases()[recorded.batch_index].taps.size());
    const Clock::time_point start = Clock::now();
    const tensor::Value alone = one_row(inputs, recorded.batch, row);
    report::Case one =
        compare_row(model_, alone, golden, {recorded.batch_index, recorded.batch, row}, filter_,
                    choice(), progress_);
    add_decode({{alone}, {alone}}, passes, one);
    report.timing.forward_s += std::chrono::duration<double>(Clock::now() - start).count();
    progress_.end();
    one.name = name;
    report.cases.push_back(std::move(one));
  }
}

report::Report Selfcheck::run(const EarlyInputs& inputs) {
  ScratchFile scratch;
  std::vector<Recorded> recorded;
  {
    golden_store::GoldenWriter writer(scratch.path(), {});
    for (std::size_t i = 0; i < inputs.size(); ++i)
      recorded.push_back(record_input(writer, request_.cases[i].name, *inputs[i]));
    writer.finish(header());
  }
  refuse_unmatched_globs(filter_.unmatched());
  const golden_store::GoldenReader golden(scratch.path());
  // Nothing of it is left whatever ends this process: it is open.
  scratch.remove();
  check_policy(request_.policy, golden, "", {});
  report::Report report =
      begin_report({"", golden.header(), "", golden.header().provenance}, request_.command);
  report.devices = report::Devices::same;  // also one that does not tell its name
  for (const Recorded& one : recorded) check(golden, one, report);
  report.reference.digests = digests_of(golden);
  report.candidate.digests = digests_of(golden.header().model);
  judge_report(report, request_.policy, request_.strictness);
  report.notes = std::move(notes_);
  for (const report::Case& one : report.cases) {
    if (std::string text = other_bits(one); !text.empty()) report.notes.push_back(std::move(text));
  }
  for (const std::string& note : model_.notes()) report.notes.push_back(note);
  return report;
}

}  // namespace

report::Report selfcheck_model(model::Model& model, EarlyInputs inputs,
                               const SelfcheckRequest& request, Progress& progress) {
  const Clock::time_point start = Clock::now();
  gate::check_measured(request.policy, gate::Measured::no, gate::Measured::no);
  load_late(inputs, request.cases, request.settings.seed, model);
  report::Report report = Selfcheck(model, request, progress).run(inputs);
  report.timing.total_s = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

report::Report selfcheck(const SelfcheckRequest& request, Progress& progress) {
  check_cases(request.cases);
  gate::check_measured(request.policy, gate::Measured::no, gate::Measured::no);
  EarlyInputs inputs = load_early(request.cases, request.settings.seed, request.source.model);
  progress.begin("load the model", 0);
  const std::unique_ptr<model::Model> model = load_model(request.source, request.settings);
  progress.end();
  return selfcheck_model(*model, std::move(inputs), request, progress);
}

}  // namespace parity::pipeline
