#include "report/case_list.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/numbers.h"
#include "report/tap_rows.h"
#include "report/text.h"

namespace parity::report {
namespace {

const std::vector<ColumnSpec>& columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"case", Align::left, 100},    {"verdict", Align::left, 99},  {"taps", Align::right, 60},
      {"suspect", Align::right, 75}, {"failed", Align::right, 80},  {"nrmse", Align::right, 90},
      {"at", Align::left, 40},       {"top-1 %", Align::right, 70}, {"KL mean", Align::right, 65}};
  return kColumns;
}

/// The tap with the largest nrmse; nullptr where nothing was measured. A NaN is the largest.
const Tap* worst_of(const Case& item) {
  const Tap* worst = nullptr;
  for (const Tap& tap : item.taps) {
    if (!tap.facts) continue;
    if (worst == nullptr || !(tap.facts->nrmse <= worst->facts->nrmse)) worst = &tap;
  }
  return worst;
}

std::uint64_t suspect_taps(const Case& item) {
  return static_cast<std::uint64_t>(
      std::count_if(item.taps.begin(), item.taps.end(),
                    [](const Tap& tap) { return tap.verdict == run::Verdict::suspect; }));
}

std::uint64_t failed_taps(const Case& item) {
  return static_cast<std::uint64_t>(std::count_if(
      item.taps.begin(), item.taps.end(),
      [](const Tap& tap) { return !run::passes(tap.verdict, run::Strictness::normal); }));
}

/// The worst of the case's outputs; of a decode's steps, which have one position each, all
/// together.
std::pair<std::string, std::string> logits_cells(const Case& item) {
  if (item.logits.empty()) return {"-", "-"};
  double agreement = 1;
  double kl = 0;
  const auto add = [&](const compare::LogitsComparison& facts) {
    agreement = std::min(agreement, facts.top1_agreement);
    kl = std::max(kl, facts.kl.mean);
  };
  for (const Logits& logits : item.logits) {
    if (!item.decode || logits.id.call == 0) add(logits.facts);
  }
  if (item.decode) add(item.decode->logits);
  return {percent(agreement), short_number(kl)};
}

Row row_of(const Case& item) {
  const bool passed = item.result == Result::pass;
  const Tap* worst = worst_of(item);
  const auto [agreement, kl] = logits_cells(item);
  return {passed ? "" : "→",
          {{clean(item.name), passed ? Tone::plain : Tone::strong},
           {passed ? "PASS" : "FAIL", passed ? Tone::good : Tone::bad},
           {std::to_string(item.taps.size())},
           {std::to_string(suspect_taps(item))},
           {std::to_string(failed_taps(item))},
           {worst == nullptr ? "-" : short_number(worst->facts->nrmse)},
           {worst == nullptr || worst->facts->nrmse == 0 ? "-" : tap_name(worst->id)},
           {agreement},
           {kl}}};
}

}  // namespace

void add_case_list(Page& page, const Report& report) {
  if (report.cases.size() < 2) return;
  std::vector<Row> rows;
  for (const Case& item : report.cases) rows.push_back(row_of(item));
  const Layout layout(columns(), rows, page.width());
  page.blank();
  page.line(layout.title_line(page.color()));
  for (const Row& row : rows) page.line(layout.line(row, page.color()));
}

}  // namespace parity::report
