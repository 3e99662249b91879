#include "report/terminal/history_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "history/moment.h"
#include "history/spread.h"
#include "report/terminal/page.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using history::Drift;
using history::NightChanges;
using history::Run;
using history::State;
using history::Timeline;
using history::VerdictChange;
using history::Way;

constexpr std::size_t kMostListed = 20;

std::string place_text(const history::Place& place) {
  return clean(place.case_name) + ": " + clean(place.tap);
}

/// Of a digest as much as tells two apart.
std::string fact_value(const history::FactChange& fact, const std::string& value) {
  constexpr std::size_t kDigits = 12;
  if (!fact.sentence.empty()) return value.substr(0, kDigits);
  return value.empty() ? "(absent)" : clean(value);
}

std::string fact_remark(const history::FactChange& fact) {
  if (!fact.sentence.empty()) return fact.sentence;
  return fact.changes_numbers ? "changes numbers" : "";
}

Tone tone_of_way(Way way) {
  if (way == Way::worse) return Tone::bad;
  return way == Way::better ? Tone::good : Tone::plain;
}

/// At most so many lines of a list, then how many more there are.
template <typename Item, typename Show>
void add_list(Page& page, const std::vector<Item>& items, const Show& show_item) {
  const std::size_t listed = items.size() > kMostListed + 1 ? kMostListed : items.size();
  for (std::size_t i = 0; i < listed; ++i) show_item(items[i]);
  if (listed < items.size())
    page.clipped(fmt::format("  and {} more (--json - has them)", items.size() - listed));
}

/// What is no longer tested is a regression; what is new is said in passing.
void add_places(Page& page, const std::vector<history::CoveredPlace>& places, const char* what,
                Tone tone) {
  if (places.empty()) return;
  page.clipped(what, tone);
  add_list(page, places, [&](const history::CoveredPlace& item) {
    page.wrapped("  ", place_text(item.place) + (item.of == history::Of::logits ? " (logits)" : ""),
                 tone);
  });
}

void add_environment(Page& page, const NightChanges& changes) {
  if (!changes.previous) return;
  if (changes.environment.empty()) {
    page.clipped("environment  as before");
    return;
  }
  page.clipped("environment changes since then");
  add_list(page, changes.environment, [&](const history::FactChange& fact) {
    const std::string remark = fact_remark(fact);
    page.wrapped(fmt::format("{} {}  ", fact.changes_numbers ? '!' : ' ', clean(fact.key)),
                 fact_value(fact, fact.before) + " -> " + fact_value(fact, fact.after) +
                     (remark.empty() ? "" : "  " + remark));
  });
}

void add_coverage(Page& page, const NightChanges& changes) {
  for (const std::string& name : changes.gone_cases)
    page.clipped("case " + clean(name) + " is no longer compared", Tone::bad);
  for (const std::string& name : changes.new_cases) page.clipped("case " + clean(name) + " is new");
  add_places(page, changes.gone_places, "no longer compared", Tone::bad);
  add_places(page, changes.new_places, "new", Tone::plain);
}

void add_verdicts(Page& page, const NightChanges& changes) {
  std::vector<VerdictChange> listed;
  std::size_t harmless = 0;
  for (const VerdictChange& change : changes.verdicts) {
    if (change.way == Way::same) {
      ++harmless;
    } else {
      listed.push_back(change);
    }
  }
  if (!changes.previous && listed.empty()) return;
  if (listed.empty() && harmless == 0) {
    page.clipped("verdicts     as before");
    return;
  }
  page.clipped("verdicts");
  add_list(page, listed, [&](const VerdictChange& change) {
    page.wrapped("  ",
                 fmt::format("{}{}: {} -> {}", place_text(change.place),
                             change.of == history::Of::logits ? " (logits)" : "",
                             run::name(change.before), run::name(change.after)),
                 tone_of_way(change.way));
  });
  if (harmless > 0)
    page.clipped(fmt::format("  {} from one passing verdict to another", plural(harmless, "tap")));
}

void add_drifts(Page& page, const NightChanges& changes) {
  if (changes.drifts.empty()) return;
  page.clipped("figures beyond their own noise");
  add_list(page, changes.drifts, [&](const Drift& drift) {
    const bool slow = drift.kind == history::DriftKind::slow;
    page.wrapped("  ",
                 fmt::format("{}: {} {}, usually {}, {} {} ({}, {})", place_text(drift.place),
                             history::facts_of(drift.metric).name, short_number(drift.value),
                             short_number(drift.usual), slow ? "began at" : "limit",
                             short_number(drift.limit), drift_text(drift.kind),
                             plural(drift.nights, "earlier night")),
                 Tone::bad);
  });
}

void add_moves(Page& page, const NightChanges& changes) {
  if (changes.moves.empty()) return;
  page.clipped(fmt::format("{} with the environment, within what is allowed",
                           changes.moves.size() == 1
                               ? "1 figure moved"
                               : std::to_string(changes.moves.size()) + " figures moved"));
  constexpr std::size_t kMostMoves = 5;
  for (std::size_t i = 0; i < std::min(kMostMoves, changes.moves.size()); ++i) {
    const history::Move& move = changes.moves[i];
    page.wrapped("  ", fmt::format("{}: {} {} -> {}", place_text(move.place),
                                   history::facts_of(move.metric).name, short_number(move.before),
                                   short_number(move.after)));
  }
  if (changes.moves.size() > kMostMoves)
    page.clipped(
        fmt::format("  and {} more (--json - has them)", changes.moves.size() - kMostMoves));
}

Tone tone_of_night(const Run& run, const NightChanges& changes) {
  if (run.state != State::judged) return Tone::warning;
  return changes.regression == history::Regression::regressed ? Tone::bad : Tone::good;
}

void add_missing(Page& page, const Timeline& timeline, std::size_t night) {
  for (const history::Gap& gap : timeline.rhythm.gaps) {
    if (gap.after != night) continue;
    std::string days;
    constexpr std::size_t kMostDays = 5;
    for (std::size_t i = 0; i < std::min(kMostDays, gap.times_s.size()); ++i)
      days += (i == 0 ? "" : ", ") + history::day_text(gap.times_s[i]);
    if (gap.times_s.size() > kMostDays) days += " to " + history::day_text(gap.times_s.back());
    page.blank();
    page.wrapped("missing    ",
                 fmt::format("{} without a run: {}", plural(gap.times_s.size(), "night"), days),
                 Tone::warning);
  }
}

void add_night(Page& page, const Timeline& timeline, std::size_t night) {
  const Run& run = timeline.series.runs[night];
  const NightChanges& changes = timeline.changes[night];
  page.blank();
  std::string first = history::minute_text(run.time_s) + " UTC  ";
  page.wrapped(first, clean(changes.sentence), tone_of_night(run, changes));
  if (!run.link.empty()) page.wrapped("report       ", clean(run.link));
  if (run.state != State::judged) return;
  if (changes.previous) {
    const Run& before = timeline.series.runs[*changes.previous];
    page.wrapped("before       ",
                 fmt::format("{} UTC, gate {}", history::minute_text(before.time_s),
                             before.gate == history::Gate::passed ? "passed" : "failed"));
  } else {
    page.clipped("before       no judged night");
  }
  if (const std::string text = self_comparison_text(run); !text.empty())
    page.wrapped("device       ", "SELF-COMPARISON: " + text);
  add_environment(page, changes);
  add_coverage(page, changes);
  add_verdicts(page, changes);
  add_drifts(page, changes);
  add_moves(page, changes);
  if (changes.same_environment < history::kLeastNights) {
    page.wrapped(
        "note         ",
        fmt::format("{} in this environment: only steps beyond what any night had are seen "
                    "until there are {}",
                    plural(changes.same_environment, "earlier night"), history::kLeastNights));
  }
}

void add_series(Page& page, const Timeline& timeline, const HistoryOptions& options) {
  const std::vector<Run>& runs = timeline.series.runs;
  page.wrapped("series     ",
               fmt::format("{}: {} from {} to {}, {}", clean(timeline.series.name),
                           plural(runs.size(), "run"), history::day_text(runs.front().time_s),
                           history::day_text(runs.back().time_s), count_text(timeline)),
               Tone::strong);
  const std::size_t first = first_shown(timeline, options.last);
  for (std::size_t night = first; night < runs.size(); ++night) {
    add_night(page, timeline, night);
    add_missing(page, timeline, night);
  }
}

}  // namespace

const char* drift_text(history::DriftKind kind) {
  switch (kind) {
    case history::DriftKind::step:
      return "step";
    case history::DriftKind::slow:
      return "slow rise";
    case history::DriftKind::new_environment:
      return "step in a new environment";
  }
  return "";
}

std::string count_text(const Timeline& timeline) {
  std::map<State, std::size_t> counts;
  for (const Run& run : timeline.series.runs) ++counts[run.state];
  std::size_t missing = 0;
  for (const history::Gap& gap : timeline.rhythm.gaps) missing += gap.times_s.size();
  std::string result;
  for (const auto& [state, count] : counts)
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", count, history::text(state));
  if (missing > 0) result += fmt::format(", {} missing", missing);
  return result;
}

std::string late_text(const Timeline& timeline) {
  const std::size_t newest = timeline.series.runs.size() - 1;
  for (const history::Gap& gap : timeline.rhythm.gaps) {
    if (gap.after != newest) continue;
    return fmt::format("no run since {}: {} missing",
                       history::day_text(timeline.series.runs[newest].time_s),
                       plural(gap.times_s.size(), "night"));
  }
  return "";
}

std::size_t first_shown(const Timeline& timeline, std::size_t last) {
  const std::size_t nights = timeline.series.runs.size();
  return nights - std::min(nights, last);
}

bool has_regressed(const std::vector<Timeline>& timelines, std::size_t last) {
  for (const Timeline& timeline : timelines) {
    for (std::size_t i = first_shown(timeline, last); i < timeline.changes.size(); ++i) {
      if (timeline.changes[i].regression == history::Regression::regressed) return true;
    }
  }
  return false;
}

std::string history_text(const std::vector<Timeline>& timelines, const HistoryOptions& options) {
  TableOptions table;
  table.color = options.color;
  table.width = options.width;
  Page page(table);
  page.wrapped("rule       ", history::kRuleText);
  for (const Timeline& timeline : timelines) {
    page.blank();
    add_series(page, timeline, options);
  }
  page.blank();
  const bool regressed = has_regressed(timelines, options.last);
  page.clipped(regressed ? "REGRESSED, exit code 1" : "nothing regressed, exit code 0",
               regressed ? Tone::bad : Tone::good);
  return page.text();
}

}  // namespace parity::report
