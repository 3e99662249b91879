#include "history/changes.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "history/drifts.h"
#include "history/facts_changed.h"
#include "history/lines.h"
#include "history/moment.h"

namespace parity::history {
namespace {

/// 0 passes, 1 passes with a warning, 2 fails.
int severity(run::Verdict verdict) {
  if (!run::passes(verdict, run::Strictness::normal)) return 2;
  return run::passes(verdict, run::Strictness::strict) ? 0 : 1;
}

Way way_of(const VerdictChange& change) {
  const int before = severity(change.before);
  const int after = severity(change.after);
  if (before != after) return after > before ? Way::worse : Way::better;
  if (after == 0) return Way::same;
  return change.after > change.before ? Way::worse : Way::better;
}

void compare_verdicts(const std::vector<PlaceResult>& before, const std::vector<PlaceResult>& after,
                      Of of, std::vector<VerdictChange>& changes) {
  std::map<Place, run::Verdict> known;
  for (const PlaceResult& result : before) known.emplace(result.place, result.verdict);
  for (const PlaceResult& result : after) {
    const auto found = known.find(result.place);
    // A place that is new has no verdict to be worse than, unless it fails.
    if (found == known.end() ? severity(result.verdict) < 2 : found->second == result.verdict)
      continue;
    const bool is_new = found == known.end();
    VerdictChange change{result.place, of, is_new ? run::Verdict::untested : found->second,
                         result.verdict, Way::worse};
    if (!is_new) change.way = way_of(change);
    changes.push_back(change);
  }
}

std::vector<std::string> cases_without(const Run& run, const Run& other) {
  std::set<std::string> names;
  for (const CaseResult& item : other.cases) names.insert(item.name);
  std::vector<std::string> result;
  for (const CaseResult& item : run.cases) {
    if (names.count(item.name) == 0) result.push_back(item.name);
  }
  return result;
}

std::string place_text(const Place& place) { return place.tap + " in case " + place.case_name; }

/// The first of the nights up to `night` from which on every judged one failed.
std::size_t failing_since(const std::vector<Run>& runs, std::size_t night) {
  std::size_t first = night;
  for (std::size_t i = night + 1; i-- > 0;) {
    if (runs[i].state != State::judged) continue;
    if (runs[i].gate == Gate::passed) break;
    first = i;
  }
  return first;
}

std::string judged_sentence(const std::vector<Run>& runs, std::size_t night,
                            const NightChanges& changes) {
  const std::optional<Place> trouble = trouble_of(runs[night], changes);
  const std::string where = trouble ? ", first at " + place_text(*trouble) : "";
  if (runs[night].gate == Gate::failed) {
    const std::size_t since = failing_since(runs, night);
    const std::string still =
        since == night ? "gate failed" : "gate still fails, since " + day_text(runs[since].time_s);
    return still + where + (runs[night].reason.empty() ? "" : ": " + runs[night].reason);
  }
  const auto worse = std::count_if(changes.verdicts.begin(), changes.verdicts.end(),
                                   [](const auto& change) { return change.way == Way::worse; });
  if (worse == 0 && changes.drifts.empty()) return "gate passed, nothing regressed";
  std::string what;
  if (worse > 0)
    what = fmt::format("{} {} worse", worse, worse == 1 ? "verdict is" : "verdicts are");
  if (!changes.drifts.empty()) {
    what +=
        fmt::format("{}{} {} beyond {} own noise", what.empty() ? "" : ", ", changes.drifts.size(),
                    changes.drifts.size() == 1 ? "figure is" : "figures are",
                    changes.drifts.size() == 1 ? "its" : "their");
  }
  return "gate passed, but " + what + where;
}

std::string unjudged_sentence(const Run& run) {
  std::string sentence = text(run.state);
  if (run.exit_code) sentence += fmt::format(" (exit code {})", *run.exit_code);
  return run.reason.empty() ? sentence : sentence + ": " + run.reason;
}

NightChanges changes_of(const std::vector<Run>& runs, const Lines& lines, std::size_t night,
                        const std::optional<std::size_t>& previous) {
  NightChanges changes;
  const Run& run = runs[night];
  if (run.state != State::judged) {
    changes.sentence = unjudged_sentence(run);
    return changes;
  }
  changes.previous = previous;
  for (std::size_t i = 0; i < night; ++i) {
    if (runs[i].state == State::judged && lines.environment[i] == lines.environment[night])
      ++changes.same_environment;
  }
  changes.drifts = drifts_of(lines, night);
  if (previous) {
    const Run& before = runs[*previous];
    changes.environment = facts_changed(before, run);
    changes.new_cases = cases_without(run, before);
    changes.gone_cases = cases_without(before, run);
    compare_verdicts(before.taps, run.taps, Of::tap, changes.verdicts);
    compare_verdicts(before.logits, run.logits, Of::logits, changes.verdicts);
    if (!changes.environment.empty())
      changes.moves = moves_of(lines, *previous, night, changes.drifts);
  }
  const bool worse = std::any_of(changes.verdicts.begin(), changes.verdicts.end(),
                                 [](const auto& change) { return change.way == Way::worse; });
  if (run.gate == Gate::failed || worse || !changes.drifts.empty())
    changes.regression = Regression::regressed;
  changes.sentence = judged_sentence(runs, night, changes);
  return changes;
}

}  // namespace

std::optional<Place> trouble_of(const Run& run, const NightChanges& changes) {
  if (!run.blame.empty()) return run.blame.front().place;
  if (run.first_divergence) return run.first_divergence;
  for (const VerdictChange& change : changes.verdicts) {
    if (change.way == Way::worse) return change.place;
  }
  for (const Drift& drift : changes.drifts) {
    if (drift.metric == Metric::introduced_nrmse) return drift.place;
  }
  if (!changes.drifts.empty()) return changes.drifts.front().place;
  return std::nullopt;
}

Timeline timeline_of(Series series, std::int64_t now_s) {
  Timeline timeline;
  const Lines lines = lines_of(series);
  std::optional<std::size_t> previous;
  std::vector<std::int64_t> times_s;
  for (std::size_t night = 0; night < series.runs.size(); ++night) {
    timeline.changes.push_back(changes_of(series.runs, lines, night, previous));
    if (series.runs[night].state == State::judged) previous = night;
    times_s.push_back(series.runs[night].time_s);
  }
  timeline.rhythm = rhythm_of(times_s, series.pruned_before_s, now_s);
  timeline.series = std::move(series);
  return timeline;
}

}  // namespace parity::history
