#include "report/html/html_sections.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html/html_findings.h"
#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

constexpr std::size_t kWorstTaps = 10;
constexpr int kLongestCell = 400;

std::string value_text(const std::string& value) {
  return keep_head(clean(absent_or(value)), kLongestCell);
}

std::string result_class(Result result) { return result == Result::pass ? "good" : "bad"; }

void add_case_row(Markup& page, const Report& report, const PageNames& names, std::size_t place) {
  const Case& item = report.cases[place];
  page.open("tr").open("td", {{"class", "name"}});
  page.open("a", {{"href", names.link(place)}, {"class", "tap"}});
  page.element("code", names.of_case(place)).close().close();
  page.open("td").element("span", item.result == Result::pass ? "PASS" : "FAIL",
                          {{"class", "badge " + result_class(item.result)}});
  page.close();
  for (const std::uint64_t count : {item.taps.size(), suspect_taps(item), failed_taps(item)})
    page.element("td", std::to_string(count), {{"class", "number"}});
  const Tap* worst = worst_tap(item);
  page.element("td", worst == nullptr ? "-" : short_number(worst->facts->nrmse),
               {{"class", "number"}});
  page.open("td", {{"class", "name"}});
  if (worst != nullptr && worst->facts->nrmse != 0) {
    const auto tap = static_cast<std::size_t>(worst - item.taps.data());
    page.open("a", {{"href", names.link(TapPlace{place, tap})}, {"class", "tap"}});
    page.name(names.of_tap({place, tap})).close();
  }
  page.close();
  const auto logits = worst_logits(item);
  page.element("td", logits ? percent(logits->top1_agreement) : "-", {{"class", "number"}});
  page.element("td", logits ? std::to_string(logits->decided_flips) : "-", {{"class", "number"}});
  page.element("td", logits ? short_number(logits->kl_mean) : "-", {{"class", "number"}});
  page.close();
}

std::string tone_class(run::Verdict verdict) {
  if (is_failure(verdict)) return "badge bad";
  return is_fine(verdict) ? "badge good" : "badge warning";
}

void add_worst_row(Markup& page, const Report& report, const PageNames& names,
                   const WorstTap& worst) {
  const Tap& tap = *worst.tap;
  std::vector<std::string> figures(7, "-");
  if (tap.facts) figures = tap_figures(*tap.facts);
  page.open("tr").open("td", {{"class", "name"}});
  add_tap_link(page, report, names, {worst.item->name, tap.id});
  page.close().open("td");
  page.element("span", run::name(tap.verdict), {{"class", tone_class(tap.verdict)}}).close();
  page.element("td", figures.at(6), {{"class", "number"}});
  if (report.attribution) {
    page.element("td", tap.introduced ? short_number(tap.introduced->nrmse) : "-",
                 {{"class", "number"}});
  }
  if (report.truth)
    page.element("td", tap.truth ? short_number(tap.truth->ratio) : "-", {{"class", "number"}});
  for (const std::size_t place : {1U, 2U, 5U})
    page.element("td", figures.at(place), {{"class", "number"}});
  page.element("td", keep_head(clean(joined(tap.reasons)), kLongestCell), {{"class", "words"}});
  page.close();
}

}  // namespace

void begin_section(Markup& page, std::string_view id, std::string_view title) {
  page.open("section", {{"id", "section-" + std::string(id)}}).element("h2", title);
}

void begin_table(Markup& page, std::string_view title, const std::vector<ColumnSpec>& columns) {
  page.open("div", {{"class", "scroll"},
                    {"role", "region"},
                    {"tabindex", "0"},
                    {"aria-label", std::string(title)}});
  page.open("table").open("thead").open("tr");
  for (const ColumnSpec& column : columns) {
    page.element("th", column.title,
                 {{"scope", "col"}, {"class", column.align == Align::right ? "number" : ""}});
  }
  page.close().close().open("tbody");
}

void end_table(Markup& page) { page.close().close().close(); }

void add_environment_section(Markup& page, const Report& report) {
  if (report.environment_diff.empty()) return;
  const std::vector<run::Difference> differences = switches_first(report);
  const bool explains = report.result == Result::fail && has_decisive_switch(report);
  page.open("section", {{"id", "section-environment"}});
  // A script folds what is no reason: across vendors it is always long.
  page.open("details", {{"open", "open"}, {"class", explains ? "" : "folded"}});
  page.open("summary");
  page.element("h2", fmt::format("What differs in the environments of the two sides: {}",
                                 plural(differences.size(), "fact")));
  page.close();
  begin_table(page, "Differences of the environments",
              {{"fact"}, {"reference"}, {"candidate"}, {"what it means"}});
  for (const run::Difference& difference : differences) {
    const bool changes = changes_numbers(report, difference);
    page.open("tr", {{"class", changes ? "changes" : ""}});
    page.open("td", {{"class", "name"}})
        .element("code", keep_head(clean(difference.key), kLongestCell))
        .close();
    page.element("td", value_text(difference.reference), {{"class", "words"}});
    page.element("td", value_text(difference.candidate), {{"class", "words"}});
    page.element("td", mark_of(report, difference)).close();
  }
  end_table(page);
  page.close().close();
}

void add_cases_section(Markup& page, const Report& report, const PageNames& names) {
  if (report.cases.size() < 2) return;
  begin_section(page, "cases", "Every case has a verdict of its own");
  begin_table(page, "Cases",
              {{"case"},
               {"verdict"},
               {"taps", Align::right},
               {"suspect", Align::right},
               {"failed", Align::right},
               {"largest nrmse", Align::right},
               {"at"},
               {"top-1 %", Align::right},
               {"decided flips", Align::right},
               {"KL mean (nat)", Align::right}});
  for (std::size_t i = 0; i < report.cases.size(); ++i) add_case_row(page, report, names, i);
  end_table(page);
  page.close();
}

void add_worst_section(Markup& page, const Report& report, const PageNames& names) {
  const std::vector<WorstTap> worst = worst_taps(report, kWorstTaps);
  if (worst.empty()) return;
  page.open("div", {{"class", "without-script"}});
  begin_section(
      page, "worst",
      worst.size() == 1 ? "The worst tap" : fmt::format("The {} worst taps", worst.size()));
  std::vector<ColumnSpec> columns = {{"layer"}, {"verdict"}, {"nrmse", Align::right}};
  if (report.attribution) columns.push_back({"introduced", Align::right});
  if (report.truth) columns.push_back({"to truth", Align::right});
  for (const char* title : {"ulp p99", "ulp max", "exact %"})
    columns.push_back({title, Align::right});
  columns.push_back({"why"});
  begin_table(page, "Worst taps", columns);
  for (const WorstTap& one : worst) add_worst_row(page, report, names, one);
  end_table(page);
  page.close().close();
}

}  // namespace parity::report
