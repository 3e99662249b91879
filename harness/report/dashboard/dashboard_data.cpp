#include "report/dashboard/dashboard_data.h"

#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "history/spread.h"
#include "report/json/json_number.h"
#include "report/terminal/history_text.h"
#include "report/words/environment.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using history::NightChanges;
using history::Run;
using history::State;
using history::Timeline;

/// A figure to the digits that a chart can show.
Json short_figure(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return "inf";
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

std::string dumped(const Json& json) {
  std::string result;
  for (const char c : json.dump()) result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return result;
}

/// passed, warned (regressed without failing), failed, or why there is no judgement.
const char* mark_of(const Run& run, const NightChanges& changes) {
  if (run.state == State::infrastructure) return "infrastructure";
  if (run.state == State::no_judgement) return "no judgement";
  if (run.state == State::not_run) return "not run";
  if (run.gate == history::Gate::failed) return "failed";
  return changes.regression == history::Regression::regressed ? "regressed" : "passed";
}

Json night_json(const Timeline& timeline, std::size_t night) {
  const Run& run = timeline.series.runs[night];
  const NightChanges& changes = timeline.changes[night];
  Json item = {
      {"t", run.time_s}, {"mark", mark_of(run, changes)}, {"words", clean(changes.sentence)}};
  if (!run.link.empty()) item["link"] = clean(run.link);
  if (!changes.environment.empty()) item["environment"] = changes.environment.size();
  if (const std::string text = self_comparison_text(run); !text.empty())
    item["self_comparison"] = text;
  return item;
}

Json missing_json(const Timeline& timeline) {
  Json list = Json::array();
  for (const history::Gap& gap : timeline.rhythm.gaps) {
    for (const std::int64_t time_s : gap.times_s) list.push_back(time_s);
  }
  return list;
}

Json nights_json(const Timeline& timeline) {
  Json list = Json::array();
  for (std::size_t night = 0; night < timeline.changes.size(); ++night)
    list.push_back(night_json(timeline, night));
  return list;
}

/// Lines by place: which one a change is about.
using LineIndex = std::map<std::pair<history::Place, history::Of>, std::size_t>;

void add_details(Json& night, const NightChanges& changes, const LineIndex& index) {
  if (!changes.environment.empty()) {
    Json facts = Json::array();
    for (const history::FactChange& fact : changes.environment)
      facts.push_back({clean(fact.key), clean(fact.before), clean(fact.after), fact.changes_numbers,
                       fact.sentence});
    night["environment"] = facts;
  }
  for (const history::VerdictChange& change : changes.verdicts) {
    if (change.way == history::Way::same) continue;
    night["verdicts"].push_back({index.at({change.place, change.of}), run::name(change.before),
                                 run::name(change.after), change.way == history::Way::worse});
  }
  for (const history::Drift& drift : changes.drifts) {
    const history::MetricFacts& metric = history::facts_of(drift.metric);
    night["drifts"].push_back({index.at({drift.place, metric.of}), metric.name,
                               short_figure(drift.value), short_figure(drift.usual),
                               short_figure(drift.limit), drift_text(drift.kind), drift.nights});
  }
  if (!changes.moves.empty()) night["moves"] = changes.moves.size();
  for (const std::string& name : changes.new_cases) night["new_cases"].push_back(clean(name));
  for (const std::string& name : changes.gone_cases) night["gone_cases"].push_back(clean(name));
  for (const history::CoveredPlace& item : changes.new_places)
    night["new_taps"].push_back(index.at({item.place, item.of}));
  for (const history::CoveredPlace& item : changes.gone_places)
    night["gone_taps"].push_back(index.at({item.place, item.of}));
}

/// The figures of all nights by place, newest night's places first.
class LineTable {
 public:
  explicit LineTable(const Timeline& timeline) : nights_(timeline.series.runs.size()) {
    const std::vector<Run>& runs = timeline.series.runs;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      for (const history::Of of : {history::Of::tap, history::Of::logits}) {
        for (const auto& result : of == history::Of::tap ? run->taps : run->logits) add(result, of);
      }
    }
    for (std::size_t night = 0; night < nights_; ++night) {
      for (const history::Of of : {history::Of::tap, history::Of::logits}) {
        for (const auto& result : of == history::Of::tap ? runs[night].taps : runs[night].logits)
          fill(result, of, night);
      }
    }
  }

  [[nodiscard]] const LineIndex& index() const { return index_; }
  [[nodiscard]] const Json& json() const { return lines_; }

 private:
  void add(const history::PlaceResult& result, history::Of of) {
    if (!index_.emplace(std::pair(result.place, of), lines_.size()).second) return;
    lines_.push_back({{"case", clean(result.place.case_name)},
                      {"tap", clean(result.place.tap)},
                      {"of", of == history::Of::tap ? "tap" : "logits"},
                      {"kind", result.kind},
                      {"verdicts", Json::array()},
                      {"values", Json::object()}});
    for (std::size_t night = 0; night < nights_; ++night)
      lines_.back()["verdicts"].push_back(nullptr);
  }

  void fill(const history::PlaceResult& result, history::Of of, std::size_t night) {
    Json& line = lines_[index_.at({result.place, of})];
    line["verdicts"][night] = run::name(result.verdict);
    for (const history::MetricFacts& metric : history::all_metrics()) {
      const double value = result.figures.get(metric.metric);
      if (metric.of != of || std::isnan(value)) continue;
      Json& values = line["values"][std::string(metric.name)];
      if (values.is_null()) values = Json(std::vector<Json>(nights_, nullptr));
      values[night] = short_figure(value);
    }
  }

  std::size_t nights_;
  LineIndex index_;
  Json lines_ = Json::array();
};

Json metrics_json() {
  Json list = Json::array();
  for (const history::MetricFacts& metric : history::all_metrics()) {
    list.push_back(
        {{"name", metric.name}, {"of", metric.of == history::Of::tap ? "tap" : "logits"}});
  }
  return list;
}

Json header_json(const DashboardSeries& series) {
  return {{"name", series.name},
          {"file", series.file},
          {"counts", count_text(*series.timeline)},
          {"nights", nights_json(*series.timeline)},
          {"missing", missing_json(*series.timeline)}};
}

}  // namespace

std::string overview_data(const std::vector<DashboardSeries>& all) {
  Json document = {{"kind", "overview"}, {"series", Json::array()}};
  for (const DashboardSeries& series : all) document["series"].push_back(header_json(series));
  return dumped(document);
}

std::string series_data(const DashboardSeries& series) {
  const Timeline& timeline = *series.timeline;
  const LineTable lines(timeline);
  Json document = header_json(series);
  document["kind"] = "series";
  document["rule"] = history::kRuleText;
  document["metrics"] = metrics_json();
  for (std::size_t night = 0; night < timeline.changes.size(); ++night)
    add_details(document["nights"][night], timeline.changes[night], lines.index());
  document["lines"] = lines.json();
  return dumped(document);
}

}  // namespace parity::report
