// Reading nights back, in an order that does not depend on when they were added.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "error/error.h"
#include "history/database.h"
#include "history/schema.h"
#include "history/store.h"
#include "history/windows.h"

namespace parity::history {
namespace {

State state_of(const Database& database, const std::string& name) {
  for (const State state :
       {State::judged, State::not_run, State::no_judgement, State::infrastructure}) {
    if (name == text(state)) return state;
  }
  throw Error(ErrorKind::store, "the history " + database.file() + " holds the unknown state '" +
                                    name + "'; use a newer parity");
}

run::Verdict verdict_of(const Database& database, const std::string& name) {
  const auto verdict = run::verdict_from_name(name);
  if (verdict) return *verdict;
  throw Error(ErrorKind::store, "the history " + database.file() + " holds the unknown verdict '" +
                                    name + "'; use a newer parity");
}

std::map<std::int64_t, run::Provenance> read_environments(const Database& database) {
  std::map<std::int64_t, run::Provenance> environments;
  Statement rows =
      database.prepare("SELECT environment_id, key, value FROM fact ORDER BY environment_id, key");
  while (rows.step()) environments[rows.integer(0)].set(rows.text(1), rows.text(2));
  return environments;
}

std::unordered_map<std::int64_t, Place> read_places(const Database& database) {
  std::unordered_map<std::int64_t, Place> places;
  Statement rows = database.prepare("SELECT id, case_name, tap FROM place");
  while (rows.step()) places[rows.integer(0)] = {rows.text(1), rows.text(2)};
  return places;
}

class Reader {
 public:
  explicit Reader(const Database& database)
      : database_(database),
        environments_(read_environments(database)),
        places_(read_places(database)) {}

  Series series(std::int64_t id, std::string name, std::int64_t pruned_before_s,
                std::size_t told) const {
    Series series;
    series.name = std::move(name);
    series.pruned_before_s = pruned_before_s;
    const std::vector<std::int64_t> ids = read_runs(id, series);
    for (const std::size_t night : nights_needed(series.runs, told)) {
      Run& run = series.runs[night];
      read_cases(ids[night], run);
      const Positions taps = read_results(ids[night], Of::tap, run.taps);
      const Positions logits = read_results(ids[night], Of::logits, run.logits);
      read_noise(ids[night], run, taps, logits);
      read_blame(ids[night], run);
    }
    return series;
  }

 private:
  /// The runs without their results; the id of each.
  std::vector<std::int64_t> read_runs(std::int64_t id, Series& series) const {
    std::vector<std::int64_t> ids;
    Statement rows = database_.prepare(
        "SELECT id, time, state, digest, exit_code, passed, reason, link, model, policy, "
        "reference_id, candidate_id, first_divergence_id, suspect, failed, seconds, golden, "
        "inputs, "
        "reference_weights, candidate_weights, policy_digest FROM run WHERE "
        "series_id = ? ORDER BY time, digest");
    rows.bind(1, id);
    while (rows.step()) {
      Run run;
      run.series = series.name;
      run.time_s = rows.integer(1);
      run.state = state_of(database_, rows.text(2));
      run.digest = rows.text(3);
      if (!rows.is_null(4)) run.exit_code = static_cast<int>(rows.integer(4));
      run.gate = rows.integer(5) == 1 ? Gate::passed : Gate::failed;
      run.reason = rows.text(6);
      run.link = rows.text(7);
      run.model = rows.text(8);
      run.policy = rows.text(9);
      if (run.state == State::judged) {
        run.reference = environments_.at(rows.integer(10));
        run.candidate = environments_.at(rows.integer(11));
      }
      if (!rows.is_null(12)) run.first_divergence = places_.at(rows.integer(12));
      run.suspect = rows.integer(13);
      run.failed = rows.integer(14);
      run.seconds = rows.number(15);
      run.contents = {rows.text(16), rows.text(17), rows.text(18), rows.text(19), rows.text(20)};
      ids.push_back(rows.integer(0));
      series.runs.push_back(std::move(run));
    }
    return ids;
  }

  Statement of_run(std::int64_t id, const std::string& table, const std::string& columns,
                   const std::string& order) const {
    Statement rows = database_.prepare("SELECT " + columns + " FROM " + table +
                                       " WHERE run_id = ? ORDER BY " + order);
    rows.bind(1, id);
    return rows;
  }

  void read_cases(std::int64_t id, Run& run) const {
    Statement rows = of_run(id, "case_result", "case_name, passed", "position");
    while (rows.step())
      run.cases.push_back({rows.text(0), rows.integer(1) == 1 ? Gate::passed : Gate::failed});
  }

  /// Where each place is in the list.
  using Positions = std::unordered_map<std::int64_t, std::size_t>;

  Positions read_results(std::int64_t id, Of of, std::vector<PlaceResult>& results) const {
    std::string columns = "place_id, kind, dtype, verdict";
    for (const MetricFacts& metric : all_metrics()) {
      if (metric.of == of) columns += ", " + std::string(metric.column);
    }
    Positions positions;
    Statement rows =
        of_run(id, of == Of::tap ? "tap_result" : "logits_result", columns, "position");
    while (rows.step()) {
      PlaceResult result;
      result.place = places_.at(rows.integer(0));
      result.kind = rows.text(1);
      result.dtype = rows.text(2);
      result.verdict = verdict_of(database_, rows.text(3));
      int column = 4;
      for (const MetricFacts& metric : all_metrics()) {
        if (metric.of == of) result.figures.set(metric.metric, rows.number(column++));
      }
      positions[rows.integer(0)] = results.size();
      results.push_back(std::move(result));
    }
    return positions;
  }

  void read_noise(std::int64_t id, Run& run, const Positions& taps, const Positions& logits) const {
    Statement rows = of_run(id, "noise", "place_id, metric, value", "place_id, metric");
    while (rows.step()) {
      const std::string name = rows.text(1);
      for (const MetricFacts& metric : all_metrics()) {
        if (metric.name != name) continue;
        const Positions& positions = metric.of == Of::tap ? taps : logits;
        const auto found = positions.find(rows.integer(0));
        if (found == positions.end()) continue;
        (metric.of == Of::tap ? run.taps : run.logits)[found->second].noise.set(metric.metric,
                                                                                rows.number(2));
      }
    }
  }

  void read_blame(std::int64_t id, Run& run) const {
    Statement rows = of_run(id, "blame", "place_id, introduced_nrmse, share", "position");
    while (rows.step())
      run.blame.push_back({places_.at(rows.integer(0)), rows.number(1), rows.number(2)});
  }

  const Database& database_;
  std::map<std::int64_t, run::Provenance> environments_;
  std::unordered_map<std::int64_t, Place> places_;
};

}  // namespace

std::vector<Series> read(const std::filesystem::path& file, const std::string& name,
                         std::size_t told) {
  const Database database(file, Access::read);
  const Transaction transaction(database, Access::read);
  check_readable(database);
  const Reader reader(database);
  std::vector<Series> result;
  std::string names;
  Statement rows = database.prepare("SELECT id, name, pruned_before FROM series ORDER BY name");
  while (rows.step()) {
    names += (names.empty() ? "" : ", ") + rows.text(1);
    if (name.empty() || rows.text(1) == name)
      result.push_back(reader.series(rows.integer(0), rows.text(1), rows.integer(2), told));
  }
  if (result.empty()) {
    throw Error(ErrorKind::usage, name.empty()
                                      ? "the history " + database.file() + " holds no night"
                                      : "the history " + database.file() + " has no series '" +
                                            name + "'; it has " + (names.empty() ? "none" : names));
  }
  return result;
}

}  // namespace parity::history
