#include "report/json/history_json.h"

#include "history/moment.h"
#include "history/spread.h"
#include "report/json/json_number.h"
#include "report/json/schemas.h"
#include "report/terminal/history_text.h"
#include "report/words/environment.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using history::NightChanges;
using history::Run;
using history::Timeline;

/// Null where there is no figure.
Json figure(double value) { return value == value ? json_number(value) : Json(nullptr); }

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(clean(text));
}

Json place_json(const history::Place& place) {
  return {{"case", clean(place.case_name)}, {"tap", clean(place.tap)}};
}

const char* of_text(history::Of of) { return of == history::Of::tap ? "tap" : "logits"; }

const char* way_text(history::Way way) {
  if (way == history::Way::same) return "same";
  return way == history::Way::worse ? "worse" : "better";
}

const char* kind_text(history::DriftKind kind) {
  if (kind == history::DriftKind::step) return "step";
  return kind == history::DriftKind::slow ? "slow" : "new_environment";
}

Json environment_json(const NightChanges& changes) {
  Json list = Json::array();
  for (const history::FactChange& fact : changes.environment) {
    list.push_back({{"key", clean(fact.key)},
                    {"before", text_or_null(fact.before)},
                    {"after", text_or_null(fact.after)},
                    {"changes_numbers", fact.changes_numbers},
                    {"sentence", text_or_null(fact.sentence)}});
  }
  return list;
}

Json verdicts_json(const NightChanges& changes) {
  Json list = Json::array();
  for (const history::VerdictChange& change : changes.verdicts) {
    Json item = place_json(change.place);
    item["of"] = of_text(change.of);
    item["before"] = run::name(change.before);
    item["after"] = run::name(change.after);
    item["way"] = way_text(change.way);
    list.push_back(std::move(item));
  }
  return list;
}

Json drifts_json(const NightChanges& changes) {
  Json list = Json::array();
  for (const history::Drift& drift : changes.drifts) {
    Json item = place_json(drift.place);
    item["metric"] = history::facts_of(drift.metric).name;
    item["kind"] = kind_text(drift.kind);
    item["value"] = figure(drift.value);
    item["usual"] = figure(drift.usual);
    item["limit"] = figure(drift.limit);
    item["nights"] = drift.nights;
    list.push_back(std::move(item));
  }
  return list;
}

Json moves_json(const NightChanges& changes) {
  Json list = Json::array();
  for (const history::Move& move : changes.moves) {
    Json item = place_json(move.place);
    item["metric"] = history::facts_of(move.metric).name;
    item["before"] = figure(move.before);
    item["after"] = figure(move.after);
    list.push_back(std::move(item));
  }
  return list;
}

Json places_json(const std::vector<history::CoveredPlace>& places) {
  Json list = Json::array();
  for (const history::CoveredPlace& place : places) {
    Json item = place_json(place.place);
    item["of"] = of_text(place.of);
    list.push_back(std::move(item));
  }
  return list;
}

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(clean(name));
  return list;
}

Json night_json(const Timeline& timeline, std::size_t night) {
  const Run& run = timeline.series.runs[night];
  const NightChanges& changes = timeline.changes[night];
  const bool judged = run.state == history::State::judged;
  const auto trouble = history::trouble_of(run, changes);
  Json item;
  item["time"] = history::iso_time(run.time_s);
  item["state"] = history::text(run.state);
  item["verdict"] =
      judged ? Json(run.gate == history::Gate::passed ? "pass" : "fail") : Json(nullptr);
  item["exit_code"] = run.exit_code ? Json(*run.exit_code) : Json(nullptr);
  item["regressed"] = changes.regression == history::Regression::regressed;
  item["sentence"] = clean(changes.sentence);
  item["begins_at"] = trouble && item["regressed"] ? place_json(*trouble) : Json(nullptr);
  item["link"] = text_or_null(run.link);
  item["previous"] = changes.previous
                         ? Json(history::iso_time(timeline.series.runs[*changes.previous].time_s))
                         : Json(nullptr);
  item["self_comparison"] = text_or_null(self_comparison_text(run));
  item["nights_in_environment"] = changes.same_environment;
  item["environment"] = environment_json(changes);
  item["new_cases"] = names_json(changes.new_cases);
  item["gone_cases"] = names_json(changes.gone_cases);
  item["new_taps"] = places_json(changes.new_places);
  item["gone_taps"] = places_json(changes.gone_places);
  item["verdicts"] = verdicts_json(changes);
  item["drifts"] = drifts_json(changes);
  item["moves"] = moves_json(changes);
  return item;
}

Json series_json(const Timeline& timeline, std::size_t last) {
  Json nights = Json::array();
  const std::size_t first = first_shown(timeline, last);
  for (std::size_t night = first; night < timeline.changes.size(); ++night)
    nights.push_back(night_json(timeline, night));
  Json missing = Json::array();
  for (const history::Gap& gap : timeline.rhythm.gaps) {
    for (const std::int64_t time_s : gap.times_s) {
      if (gap.after >= first) missing.push_back(history::iso_time(time_s));
    }
  }
  return {{"series", clean(timeline.series.name)},
          {"runs", timeline.series.runs.size()},
          {"period_s", timeline.rhythm.period_s ? Json(*timeline.rhythm.period_s) : Json(nullptr)},
          {"missing", missing},
          {"nights", nights}};
}

}  // namespace

std::string history_json(const std::vector<Timeline>& timelines, std::size_t last) {
  Json document;
  document["schema"] = kHistorySchema;
  document["regressed"] = has_regressed(timelines, last);
  document["rule"] = history::kRuleText;
  document["series"] = Json::array();
  for (const Timeline& timeline : timelines)
    document["series"].push_back(series_json(timeline, last));
  return document.dump() + "\n";
}

}  // namespace parity::report
