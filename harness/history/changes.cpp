#include "history/changes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "history/coverage.h"
#include "history/drifts.h"
#include "history/facts_changed.h"
#include "history/lines.h"
#include "history/moment.h"
#include "history/windows.h"

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

std::string place_text(const Place& place) { return place.tap + " in case " + place.case_name; }

std::size_t count_worse(const NightChanges& changes) {
  return static_cast<std::size_t>(
      std::count_if(changes.verdicts.begin(), changes.verdicts.end(),
                    [](const auto& change) { return change.way == Way::worse; }));
}

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

/// "1 verdict is worse, 3 figures are beyond their own noise"; empty where nothing regressed.
std::string regressions_text(const NightChanges& changes) {
  std::string what;
  const auto add = [&](std::size_t count, const char* one, const char* more) {
    if (count == 0) return;
    what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, count == 1 ? one : more);
  };
  add(count_worse(changes), "verdict is worse", "verdicts are worse");
  add(changes.drifts.size(), "figure is beyond its own noise",
      "figures are beyond their own noise");
  add(changes.gone_cases.size(), "case is no longer compared", "cases are no longer compared");
  const auto taps = static_cast<std::size_t>(
      std::count_if(changes.gone_places.begin(), changes.gone_places.end(),
                    [](const CoveredPlace& gone) { return gone.of == Of::tap; }));
  add(taps, "tap is no longer compared", "taps are no longer compared");
  add(changes.gone_places.size() - taps, "output has no logits any more",
      "outputs have no logits any more");
  return what;
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
  const std::string what = regressions_text(changes);
  if (what.empty()) return "gate passed, nothing regressed";
  return "gate passed, but " + what + where;
}

std::string unjudged_sentence(const Run& run) {
  std::string sentence = text(run.state);
  if (run.exit_code) sentence += fmt::format(" (exit code {})", *run.exit_code);
  return run.reason.empty() ? sentence : sentence + ": " + run.reason;
}

NightChanges changes_of(const std::vector<Run>& runs, const Lines& lines,
                        const std::vector<std::size_t>& environments, std::size_t night) {
  NightChanges changes;
  const Run& run = runs[night];
  if (run.state != State::judged) {
    changes.sentence = unjudged_sentence(run);
    return changes;
  }
  changes.previous = judged_before(runs, night);
  for (std::size_t i = 0; i < night; ++i) {
    if (runs[i].state == State::judged && environments[i] == environments[night])
      ++changes.same_environment;
  }
  changes.drifts = drifts_of(lines, window_of(runs, environments, night), night);
  if (changes.previous) {
    const Run& before = runs[*changes.previous];
    changes.environment = facts_changed(before, run);
    compare_coverage(before, run, changes);
    compare_verdicts(before.taps, run.taps, Of::tap, changes.verdicts);
    compare_verdicts(before.logits, run.logits, Of::logits, changes.verdicts);
    if (!changes.environment.empty())
      changes.moves = moves_of(lines, *changes.previous, night, changes.drifts);
  }
  if (run.gate == Gate::failed || !regressions_text(changes).empty())
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
  if (!changes.gone_places.empty()) return changes.gone_places.front().place;
  return std::nullopt;
}

Timeline timeline_of(Series series, std::int64_t now_s, std::size_t told) {
  Timeline timeline;
  const Lines lines = lines_of(series);
  const std::vector<std::size_t> environments = environments_of(series.runs);
  const std::size_t first = series.runs.size() - std::min(told, series.runs.size());
  std::vector<std::int64_t> times_s;
  for (std::size_t night = 0; night < series.runs.size(); ++night) {
    timeline.changes.push_back(night < first ? NightChanges{}
                                             : changes_of(series.runs, lines, environments, night));
    times_s.push_back(series.runs[night].time_s);
  }
  timeline.rhythm = rhythm_of(times_s, series.pruned_before_s, now_s);
  timeline.series = std::move(series);
  return timeline;
}

}  // namespace parity::history
