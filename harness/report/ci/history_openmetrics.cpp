#include "report/ci/history_openmetrics.h"

#include <array>

#include "report/words/metric_family.h"
#include "report/words/text.h"
#include "report/words/unique_names.h"

namespace parity::report {
namespace {

using history::Run;
using history::State;
using history::Timeline;

constexpr std::array<State, 4> kStates = {State::judged, State::not_run, State::no_judgement,
                                          State::infrastructure};

struct Labelled {
  std::string labels;
  const history::PlaceResult* result;
};

/// One series: its newest run, and its newest judged one with the labels of what is in it.
struct Latest {
  std::string labels;
  const Timeline* timeline = nullptr;
  const Run* newest = nullptr;
  const Run* judged = nullptr;
  std::vector<std::pair<std::string, const history::CaseResult*>> cases;
  std::vector<Labelled> taps;
  std::vector<Labelled> logits;
};

std::vector<Labelled> labelled(const std::string& series,
                               const std::vector<history::PlaceResult>& results) {
  std::vector<Labelled> list;
  UniqueNames names;
  for (const history::PlaceResult& result : results) {
    // Unique as a pair: the case is put in front while names are made unique.
    const std::string case_name = clean(result.place.case_name);
    const std::string unique = names.of(case_name + '\n' + clean(result.place.tap));
    list.push_back({series + "," + label("case", case_name) + "," +
                        label("tap", unique.substr(case_name.size() + 1)),
                    &result});
  }
  return list;
}

Latest latest_of(const Timeline& timeline, const std::string& series_name) {
  Latest latest;
  latest.labels = label("series", series_name);
  latest.timeline = &timeline;
  latest.newest = &timeline.series.runs.back();
  for (const Run& run : timeline.series.runs) {
    if (run.state == State::judged) latest.judged = &run;
  }
  if (latest.judged == nullptr) return latest;
  UniqueNames cases;
  for (const history::CaseResult& item : latest.judged->cases) {
    latest.cases.emplace_back(latest.labels + "," + label("case", cases.of(clean(item.name))),
                              &item);
  }
  latest.taps = labelled(latest.labels, latest.judged->taps);
  latest.logits = labelled(latest.labels, latest.judged->logits);
  return latest;
}

std::uint64_t missing_nights(const Timeline& timeline) {
  std::uint64_t missing = 0;
  for (const history::Gap& gap : timeline.rhythm.gaps) missing += gap.times_s.size();
  return missing;
}

void add_states(std::string& out, const std::vector<Latest>& all) {
  Family state(out, "parity_history_state", "1 for the state of the newest run, 0 for others.");
  for (const Latest& one : all) {
    for (const State each : kStates) {
      state.add(one.labels + "," + label("state", history::text(each)),
                std::uint64_t{one.newest->state == each ? 1U : 0U});
    }
  }
  Family runs(out, "parity_history_runs", "Runs in the history by state; missing ones have none.");
  for (const Latest& one : all) {
    for (const State each : kStates) {
      std::uint64_t count = 0;
      for (const Run& run : one.timeline->series.runs) count += run.state == each ? 1U : 0U;
      runs.add(one.labels + "," + label("state", history::text(each)), count);
    }
    runs.add(one.labels + "," + label("state", "missing"), missing_nights(*one.timeline));
  }
  Family newest(out, "parity_history_run_time_seconds",
                "When the newest run was, in seconds since 1970.", "seconds");
  for (const Latest& one : all)
    newest.add(one.labels, static_cast<std::uint64_t>(one.newest->time_s));
  Family regressed(out, "parity_history_regressed", "1 where the newest run regressed.");
  for (const Latest& one : all) {
    const bool is = one.timeline->changes.back().regression == history::Regression::regressed;
    regressed.add(one.labels, std::uint64_t{is ? 1U : 0U});
  }
}

template <typename Value>
void add_judged(std::string& out, const std::vector<Latest>& all, const char* name,
                const char* help, const char* unit, const Value& value) {
  Family family(out, name, help, unit);
  for (const Latest& one : all) {
    if (one.judged != nullptr) family.add(one.labels, value(one));
  }
}

std::uint64_t flag(history::Gate gate) { return gate == history::Gate::passed ? 1 : 0; }

void add_verdicts(std::string& out, const std::vector<Latest>& all) {
  add_judged(out, all, "parity_history_judged_time_seconds",
             "When the newest judged run was, in seconds since 1970.", "seconds",
             [](const Latest& one) { return static_cast<std::uint64_t>(one.judged->time_s); });
  add_judged(out, all, "parity_history_gate_passed",
             "1 where the gate passed in the newest judged run, 0 where it failed.", "",
             [](const Latest& one) { return flag(one.judged->gate); });
  Family info(out, "parity_history_run_info", "1, with what was compared as labels.");
  for (const Latest& one : all) {
    if (one.judged == nullptr) continue;
    info.add(one.labels + "," + label("model", one.judged->model) + "," +
                 label("reference_device", one.judged->reference.get("device.name")) + "," +
                 label("candidate_device", one.judged->candidate.get("device.name")) + "," +
                 label("torch", one.judged->candidate.get("library.torch")) + "," +
                 label("policy", one.judged->policy),
             std::uint64_t{1});
  }
  Family taps(out, "parity_history_taps", "Taps of the newest judged run by state.");
  for (const Latest& one : all) {
    if (one.judged == nullptr) continue;
    const auto suspect = static_cast<std::uint64_t>(one.judged->suspect);
    const auto failed = static_cast<std::uint64_t>(one.judged->failed);
    taps.add(one.labels + "," + label("state", "passed"),
             one.judged->taps.size() - suspect - failed);
    taps.add(one.labels + "," + label("state", "suspect"), suspect);
    taps.add(one.labels + "," + label("state", "failed"), failed);
  }
  Family cases(out, "parity_history_case_passed",
               "1 where the case passed by itself, 0 where it failed.");
  for (const Latest& one : all) {
    for (const auto& [labels, item] : one.cases) cases.add(labels, flag(item->gate));
  }
}

struct Exported {
  history::Metric metric;
  const char* name;
  const char* help;
  const char* unit;
};

void add_figures(std::string& out, const std::vector<Latest>& all) {
  using history::Metric;
  static constexpr std::array<Exported, 8> kExported = {{
      {Metric::nrmse, "parity_history_tap_nrmse", "norm(c-r)/norm(r) of the tap.", ""},
      {Metric::ulp_p99, "parity_history_tap_ulp_p99",
       "Values of the dtype stepped over, 99th percentile.", ""},
      {Metric::introduced_nrmse, "parity_history_tap_introduced_nrmse",
       "nrmse of the tap when everything before it is the reference's.", ""},
      {Metric::kl_mean, "parity_history_logits_kl_mean_nats",
       "Mean KL divergence of the candidate from the reference.", "nats"},
      {Metric::kl_max, "parity_history_logits_kl_max_nats", "Largest KL divergence of a position.",
       "nats"},
      {Metric::flips, "parity_history_logits_flips", "Positions whose best token differs.", ""},
      {Metric::decided_flips, "parity_history_logits_decided_flips",
       "Flips where the reference had decided.", ""},
      {Metric::top1_agreement, "parity_history_logits_top1_agreement_share",
       "Share of positions with the same best token.", ""},
  }};
  for (const Exported& one : kExported) {
    Family family(out, one.name, one.help, one.unit);
    const bool of_taps = history::facts_of(one.metric).of == history::Of::tap;
    for (const Latest& latest : all) {
      for (const auto& [labels, result] : of_taps ? latest.taps : latest.logits)
        family.add(labels, result->figures.get(one.metric));
    }
  }
}

}  // namespace

std::string history_openmetrics(const std::vector<Timeline>& timelines) {
  std::string out;
  std::vector<Latest> all;
  UniqueNames names;
  for (const Timeline& timeline : timelines)
    all.push_back(latest_of(timeline, names.of(clean(timeline.series.name))));
  add_states(out, all);
  add_verdicts(out, all);
  add_figures(out, all);
  return out + "# EOF\n";
}

}  // namespace parity::report
