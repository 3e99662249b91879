#include "pipeline/calibrate/varied_runs.h"

#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "model/model.h"
#include "pipeline/attribute/forced_run.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/selfcheck.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/load_model.h"

namespace parity::pipeline {
namespace {

using gate::Variation;

class VariedRunner {
 public:
  VariedRunner(const CalibrateRequest& request, const golden_store::GoldenReader& golden,
               Progress& progress, const TakeRun& take)
      : request_(request),
        runs_(*request.model),
        golden_(golden),
        progress_(progress),
        take_(take) {}

  [[nodiscard]] std::vector<std::string> run();

 private:
  [[nodiscard]] bool varies(Variation variation) const { return runs_.vary.count(variation) > 0; }
  [[nodiscard]] report::Report replay(const run::Settings& settings);
  void vary_threads(const run::Provenance& unchanged);
  void vary_sdpa();
  void check_itself(Variation variation);

  const CalibrateRequest& request_;
  const VariedRuns& runs_;
  const golden_store::GoldenReader& golden_;
  Progress& progress_;
  const TakeRun& take_;
  std::vector<std::string> not_run_;
};

report::Report VariedRunner::replay(const run::Settings& settings) {
  ReplayRequest replay;
  replay.compare.golden = golden_.path();
  replay.compare.truth = request_.truth;
  replay.compare.worst_count = 0;
  replay.compare.command = request_.command;
  replay.source = runs_.source;
  replay.settings = settings;
  // What a layer introduces is a spread like any other; who is to blame for it, nobody asks here.
  if (why_not_forced(golden_).empty()) replay.attribution = AttributionPass::forced;
  replay.operators = OperatorPass::none;
  return compare_replay(replay, progress_);
}

void VariedRunner::vary_threads(const run::Provenance& unchanged) {
  if (unchanged.get("device.type") != "cpu") {
    not_run_.emplace_back("threads: the model runs on a GPU");
    return;
  }
  const std::string known(unchanged.get("switch.threads"));
  for (const int count : std::set<int>(runs_.threads.begin(), runs_.threads.end())) {
    if (std::to_string(count) == known) continue;
    run::Settings settings = runs_.settings;
    settings.threads = count;
    take_(Variation::threads, fmt::format("{} {}", count, count == 1 ? "thread" : "threads"),
          replay(settings));
  }
}

void VariedRunner::vary_sdpa() {
  for (const run::Sdpa sdpa :
       {run::Sdpa::math, run::Sdpa::flash, run::Sdpa::efficient, run::Sdpa::default_choice}) {
    if (sdpa == runs_.settings.sdpa) continue;
    run::Settings settings = runs_.settings;
    settings.sdpa = sdpa;
    const std::string label = "sdpa " + run::to_string(sdpa);
    std::optional<report::Report> report;
    try {
      report = replay(settings);
    } catch (const Error& error) {
      // The run with nothing changed was made, so what fails here is the kernel that was asked for.
      if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::model) throw;
      not_run_.push_back(label + ": " + error.what());
      continue;
    }
    take_(Variation::sdpa, label, *report);
  }
}

/// Repeats, or rows alone, on this host against a run on this host.
void VariedRunner::check_itself(Variation variation) {
  const bool by_rows = variation == Variation::batch;
  const run::Provenance& recorded = golden_.header().provenance;
  SelfcheckRequest request;
  request.source = replay_source(runs_.source, golden_);
  request.settings = replay_settings(runs_.settings, {}, recorded);
  request.taps = replay_taps({}, recorded);
  request.repeats = by_rows ? 0 : runs_.repeats;
  request.rows = by_rows ? runs_.rows : 0;
  request.worst_count = 0;
  request.command = request_.command;
  EarlyInputs inputs;
  for (std::size_t i = 0; i < golden_.cases().size(); ++i) {
    request.cases.push_back({golden_.cases()[i].name, ""});
    inputs.emplace_back(golden_.read_inputs(i));
  }
  progress_.begin("load the model", 0);
  const std::unique_ptr<model::Model> model = load_model(request.source, request.settings);
  progress_.end();
  const report::Report report = selfcheck_model(*model, std::move(inputs), request, progress_);
  constexpr std::string_view kNotByRow = ": not checked row by row";
  for (const std::string& note : report.notes) {
    if (by_rows && note.find(kNotByRow) != std::string::npos) not_run_.push_back("batch: " + note);
  }
  take_(variation,
        by_rows ? std::string("rows alone against the same in a batch")
                : fmt::format("{} further {} of every case", runs_.repeats,
                              runs_.repeats == 1 ? "run" : "runs"),
        report);
}

std::vector<std::string> VariedRunner::run() {
  const report::Report unchanged = replay(runs_.settings);
  take_(Variation::replay, "replayed on this host", unchanged);
  if (varies(Variation::threads)) vary_threads(unchanged.candidate.provenance);
  if (varies(Variation::sdpa)) vary_sdpa();
  if (varies(Variation::batch)) check_itself(Variation::batch);
  if (varies(Variation::repeat)) check_itself(Variation::repeat);
  return std::move(not_run_);
}

}  // namespace

std::vector<std::string> make_varied_runs(const CalibrateRequest& request,
                                          const golden_store::GoldenReader& golden,
                                          Progress& progress, const TakeRun& take) {
  return VariedRunner(request, golden, progress, take).run();
}

}  // namespace parity::pipeline
