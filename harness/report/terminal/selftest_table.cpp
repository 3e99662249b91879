// What a selftest found, for a terminal: controls, faults, how small a fault may be, the verdict.
#include <algorithm>

#include <fmt/format.h>

#include "report/data/selftest.h"
#include "report/terminal/page.h"
#include "report/words/columns.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

/// The blindest groups of layers; the JSON has all.
constexpr std::size_t kGroupsShown = 12;
constexpr std::size_t kPlacesShown = 3;

void add_rows(Page& page, const std::vector<ColumnSpec>& columns, const std::vector<Row>& rows) {
  const Layout layout(columns, rows, page.width());
  page.line(layout.title_line(page.color()));
  for (const Row& row : rows) page.line(layout.line(row, page.color()));
}

std::string place_text(const FaultPlace& place) {
  std::string text = clean(place.tap);
  if (!place.case_name.empty())
    text += fmt::format("{}case {}", text.empty() ? "" : " of ", clean(place.case_name));
  if (!place.rule.empty()) text += fmt::format(", rule {}", clean(place.rule));
  return text;
}

void add_controls(Page& page, const std::vector<ControlResult>& controls) {
  std::vector<Row> rows;
  for (const ControlResult& each : controls) {
    const bool green = each.green == each.runs;
    rows.push_back(
        {"",
         {{each.name},
          {fmt::format("{} of {} green", each.green, each.runs), green ? Tone::good : Tone::bad},
          {each.text}}});
  }
  add_rows(page,
           {{"control", Align::left, 100}, {"gate", Align::left, 90}, {"what", Align::left, 10}},
           rows);
}

Row fault_row(const FaultResult& fault) {
  const std::uint64_t missed = fault.gross - fault.gross_seen;
  const std::string small = fault.largest_miss ? short_number(fault.largest_miss->nrmse) : "-";
  return {missed > 0 ? "!" : "",
          {{fault.name},
           {std::to_string(fault.injected)},
           {std::to_string(fault.seen)},
           {std::to_string(fault.gross)},
           {std::to_string(missed), missed > 0 ? Tone::bad : Tone::plain},
           {small},
           {fault.text}}};
}

void add_faults(Page& page, const std::vector<FaultResult>& faults) {
  std::vector<Row> rows;
  for (const FaultResult& each : faults) {
    if (each.injected > 0) rows.push_back(fault_row(each));
  }
  if (rows.empty()) return;
  page.blank();
  add_rows(page,
           {{"fault", Align::left, 100},
            {"injected", Align::right, 80},
            {"seen", Align::right, 90},
            {"gross", Align::right, 85},
            {"missed", Align::right, 99},
            {"unseen nrmse", Align::right, 50},
            {"what", Align::left, 10}},
           rows);
  for (const FaultResult& each : faults) {
    for (std::size_t i = 0; i < std::min(kPlacesShown, each.missed.size()); ++i) {
      const FaultPlace& place = each.missed[i];
      page.wrapped("! ",
                   fmt::format("{} went unseen at {}: nrmse {}, largest error {} rms", each.name,
                               place_text(place), short_number(place.nrmse),
                               short_number(place.max_error_over_rms)),
                   Tone::bad);
    }
  }
}

/// "its digest alone is stored" once, with the faults that it stood against.
void add_not_injected(Page& page, const std::vector<FaultResult>& faults) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const FaultResult& fault : faults) {
    for (const NotInjected& each : fault.not_injected) {
      const auto found = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& known) {
        return known.first == each.reason;
      });
      std::string text = fmt::format("{} ({})", fault.name, each.taps);
      if (found == by_reason.end()) {
        by_reason.emplace_back(each.reason, std::move(text));
      } else {
        found->second += ", " + text;
      }
    }
  }
  if (by_reason.empty()) return;
  page.blank();
  page.wrapped("", "not put in, and why (places):");
  for (const auto& [reason, text] : by_reason)
    page.wrapped("  ", fmt::format("{}: {}", clean(reason), text));
}

std::string size_text(const std::optional<double>& size, const char* unit) {
  if (!size) return "never";
  return *size == 0 ? "0" : fmt::format("{:.2g}{}", *size, unit);
}

std::string factor_text(const Reach& reach) {
  return size_text(reach.seen_from ? std::optional(*reach.seen_from * 100) : std::nullopt, " %");
}

void add_sensitivity(Page& page, const std::vector<Sensitivity>& groups) {
  if (groups.empty()) return;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(kGroupsShown, groups.size()); ++i) {
    const Sensitivity& each = groups[i];
    rows.push_back({"",
                    {{clean(each.layers)},
                     {std::to_string(each.taps)},
                     {factor_text(each.factor)},
                     {size_text(each.spike.seen_from, " rms")},
                     {clean(each.factor.blindest.rule)},
                     {clean(each.factor.blindest.said)}}});
  }
  page.blank();
  page.wrapped("", "how small a fault is still seen, at the blindest tap of each group:");
  add_rows(page,
           {{"layers", Align::left, 100},
            {"taps", Align::right, 60},
            {"factor off by", Align::right, 90},
            {"spike of", Align::right, 80},
            {"rule", Align::left, 70},
            {"factor seen by", Align::left, 10}},
           rows);
  if (groups.size() > rows.size())
    page.wrapped("  ", fmt::format("and {} more groups, none of them blinder, in the JSON",
                                   groups.size() - rows.size()));
  const Sensitivity& blindest = groups.front();
  const std::string at = place_text(blindest.factor.blindest);
  page.wrapped("",
               blindest.factor.seen_from
                   ? fmt::format("a factor that is off by {} is seen in every layer; the blindest "
                                 "is {}",
                                 factor_text(blindest.factor), at)
                   : fmt::format("no factor up to 2 is seen at {}", at));
}

}  // namespace

std::string to_table(const Selftest& selftest, const TableOptions& options) {
  Page page(options);
  page.wrapped("golden  ",
               fmt::format("{}: {}, {}", clean(selftest.golden), plural(selftest.cases, "case"),
                           plural(selftest.taps, "tap")));
  page.wrapped("policy  ", clean(selftest.policy_name) +
                               (selftest.strictness == run::Strictness::strict ? ", strict" : ""));
  page.blank();
  add_controls(page, selftest.controls);
  add_faults(page, selftest.faults);
  add_not_injected(page, selftest.faults);
  add_sensitivity(page, selftest.sensitivity);
  page.blank();
  for (const std::string& note : selftest.notes)
    page.wrapped("note    ", clean(note), Tone::warning);
  page.command("repro   ", selftest.repro);
  const bool pass = selftest.result == Result::pass;
  std::string reasons;
  for (const std::string& reason : selftest.reasons)
    reasons += (reasons.empty() ? "" : "; ") + clean(reason);
  page.wrapped(
      fmt::format("verdict {}, exit code {}: ", pass ? "PASS" : "FAIL", selftest.exit_code),
      reasons, pass ? Tone::good : Tone::bad);
  return page.text();
}

}  // namespace parity::report
