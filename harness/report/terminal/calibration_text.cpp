// The summary of a calibration for a terminal. Everything in it came out of goldens that nobody
// vouches for, so no text is shown uncleaned.
#include <algorithm>

#include <fmt/format.h>

#include "report/data/calibration.h"
#include "report/terminal/page.h"
#include "report/words/columns.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

const std::vector<ColumnSpec>& columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"metric", Align::left, 100}, {"worst", Align::right, 80}, {"by", Align::left, 70},
      {"warn", Align::right, 85},   {"fail", Align::right, 90},  {"built in", Align::right, 75},
      {"", Align::left, 65}};
  return kColumns;
}

/// Which taps, and how many runs the rule stands on.
std::string title_of(const CalibratedRule& rule) {
  std::string text = rule.layers.empty() ? "every other tap" : rule.layers.front();
  if (rule.layers.empty() && !rule.kind.empty()) text = rule.kind;
  if (rule.layers.size() > 1) text += fmt::format(" and {} more", rule.layers.size() - 1);
  if (rule.dtype.empty()) text = "logits";
  if (!rule.dtype.empty()) text += ", " + rule.dtype;
  return clean(fmt::format("{}: {}, {} {}", text, plural(rule.taps, "tap"),
                           plural(static_cast<std::uint64_t>(rule.runs), "run"),
                           rule.runs == 1 ? "differs" : "differ"));
}

std::string built_in_text(const CalibratedBound& bound) {
  if (!bound.built_in) return "-";
  return limit_number(bound.built_in->first) + " / " + limit_number(bound.built_in->second);
}

std::vector<Row> rows_of(const std::vector<CalibratedRule>& rules) {
  std::vector<Row> rows;
  for (const CalibratedRule& rule : rules) {
    for (const CalibratedBound& bound : rule.bounds) {
      rows.push_back({"",
                      {{bound.metric},
                       {limit_number(bound.measured)},
                       {bound.run.empty() ? "-" : bound.variation},
                       {limit_number(bound.warn)},
                       {limit_number(bound.fail)},
                       {built_in_text(bound)},
                       {bound.is_wider ? "wider" : "", Tone::warning}}});
    }
  }
  return rows;
}

void add_table(Page& page, const Calibration& calibration) {
  std::vector<CalibratedRule> rules = calibration.rules;
  rules.insert(rules.end(), calibration.logits.begin(), calibration.logits.end());
  const std::vector<Row> rows = rows_of(rules);
  const Layout layout(columns(), rows, page.width());
  page.blank();
  page.line(layout.title_line(page.color()));
  std::size_t at = 0;
  for (const CalibratedRule& rule : rules) {
    page.clipped(title_of(rule), Tone::strong);
    for (std::size_t i = 0; i < rule.bounds.size(); ++i)
      page.line(layout.line(rows[at++], page.color()));
  }
}

std::uint64_t count_wider(const Calibration& calibration) {
  std::uint64_t count = 0;
  for (const auto* rules : {&calibration.rules, &calibration.logits}) {
    for (const CalibratedRule& rule : *rules) {
      count += static_cast<std::uint64_t>(
          std::count_if(rule.bounds.begin(), rule.bounds.end(),
                        [](const CalibratedBound& bound) { return bound.is_wider; }));
    }
  }
  return count;
}

void add_places(Page& page, const std::string& title, const std::vector<CalibrationPlace>& places) {
  if (places.empty()) return;
  constexpr std::size_t kShown = 10;
  page.blank();
  page.wrapped("", title, Tone::warning);
  for (std::size_t i = 0; i < std::min(kShown, places.size()); ++i) {
    page.wrapped(
        "  ", fmt::format("{} of case {}: {}", places[i].tap, places[i].case_name, places[i].why));
  }
  if (places.size() > kShown) page.line(fmt::format("  and {} more", places.size() - kShown));
}

void add_runs(Page& page, const Calibration& calibration) {
  page.wrapped("reference  ", calibration.reference + ": " + calibration.made_on);
  for (const CalibrationRun& run : calibration.runs) {
    page.wrapped(pad_right(run.variation, 9) + "  ", fmt::format("{}: {}", run.label, run.made_on));
  }
  for (const std::string& text : calibration.not_run)
    page.wrapped("not run    ", text, Tone::warning);
  for (const std::string& note : calibration.notes) page.wrapped("note       ", note);
}

}  // namespace

std::string to_text(const Calibration& calibration, const TableOptions& options) {
  Page page(options);
  add_runs(page, calibration);
  add_table(page, calibration);
  add_places(page,
             "No bound could tell these taps from wrong ones; they fail whatever judges them:",
             calibration.untestable);
  add_places(page, "Measured beyond the limits, which are the built-in ones:", calibration.beyond);
  page.blank();
  page.wrapped("", fmt::format("{} for taps and {} for logits, of which {} wider than built in",
                               plural(calibration.rules.size(), "rule"), calibration.logits.size(),
                               plural(count_wider(calibration), "bound")));
  return page.text();
}

}  // namespace parity::report
