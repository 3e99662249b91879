// The summary of a calibration for a terminal. Everything in it came out of goldens that nobody
// vouches for, so no text is shown uncleaned.
#include <algorithm>

#include <fmt/format.h>

#include "report/calibration.h"
#include "report/columns.h"
#include "report/numbers.h"
#include "report/page.h"
#include "report/text.h"

namespace parity::report {
namespace {

const std::vector<ColumnSpec>& columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"rule", Align::left, 100},  {"taps", Align::right, 50},  {"runs", Align::right, 40},
      {"metric", Align::left, 95}, {"worst", Align::right, 80}, {"by", Align::left, 78},
      {"warn", Align::right, 85},  {"fail", Align::right, 90},  {"built in", Align::right, 75},
      {"", Align::left, 65}};
  return kColumns;
}

std::string name_of(const CalibratedRule& rule) {
  if (rule.dtype.empty()) return "logits";
  std::string text = rule.layers.empty() ? "" : rule.layers.front();
  if (rule.layers.size() > 1) text += fmt::format(" +{}", rule.layers.size() - 1);
  if (rule.layers.empty()) text = rule.kind.empty() ? "every other tap" : rule.kind;
  return clean(text + ", " + rule.dtype);
}

std::string built_in_text(const CalibratedBound& bound) {
  return bound.built_in ? limit_number(bound.built_in->second) : "-";
}

void add_rows(const CalibratedRule& rule, std::vector<Row>& rows) {
  bool is_first = true;
  for (const CalibratedBound& bound : rule.bounds) {
    const std::string by = bound.run.empty() ? "-" : bound.variation;
    rows.push_back({"",
                    {{is_first ? name_of(rule) : "", Tone::strong},
                     {is_first ? std::to_string(rule.taps) : ""},
                     {is_first ? std::to_string(rule.runs) : ""},
                     {bound.metric},
                     {limit_number(bound.measured)},
                     {by},
                     {limit_number(bound.warn)},
                     {limit_number(bound.fail)},
                     {built_in_text(bound)},
                     {bound.is_wider ? "wider" : "", Tone::warning}}});
    is_first = false;
  }
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
  page.wrapped("reference  ", calibration.reference);
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
  std::vector<Row> rows;
  for (const CalibratedRule& rule : calibration.rules) add_rows(rule, rows);
  for (const CalibratedRule& rule : calibration.logits) add_rows(rule, rows);
  const Layout layout(columns(), rows, page.width());
  page.blank();
  page.line(layout.title_line(page.color()));
  for (const Row& row : rows) page.line(layout.line(row, page.color()));
  add_places(page,
             "No bound could tell these taps from wrong ones; they fail whatever judges them:",
             calibration.untestable);
  add_places(page, "Measured beyond the limits, which are the built-in ones:", calibration.beyond);
  page.blank();
  page.wrapped(
      "", fmt::format("{} for taps and {} for logits, of which {} wider than built in",
                      plural(calibration.rules.size(), "rule"), calibration.logits.size(),
                      plural(static_cast<std::uint64_t>(std::count_if(
                                 rows.begin(), rows.end(),
                                 [](const Row& row) { return !row.cells.back().text.empty(); })),
                             "bound")));
  return page.text();
}

}  // namespace parity::report
