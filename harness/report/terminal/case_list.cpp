#include "report/terminal/case_list.h"

#include <optional>
#include <utility>
#include <vector>

#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/columns.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

const std::vector<ColumnSpec>& columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"case", Align::left, 100},    {"verdict", Align::left, 99},  {"taps", Align::right, 60},
      {"suspect", Align::right, 75}, {"failed", Align::right, 80},  {"nrmse", Align::right, 90},
      {"at", Align::left, 40},       {"top-1 %", Align::right, 70}, {"KL mean", Align::right, 65}};
  return kColumns;
}

std::pair<std::string, std::string> logits_cells(const Case& item) {
  const std::optional<WorstLogits> worst = worst_logits(item);
  if (!worst) return {"-", "-"};
  return {percent(worst->top1_agreement), short_number(worst->kl_mean)};
}

Row row_of(const Case& item) {
  const bool passed = item.result == Result::pass;
  const Tap* worst = worst_tap(item);
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
