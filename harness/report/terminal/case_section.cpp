#include "report/terminal/case_section.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/terminal/decode_section.h"
#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"
#include "report/words/tap_details.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using run::Verdict;

/// Taps with details in one case; the JSON report has all of them.
constexpr std::size_t kDetailed = 5;
constexpr std::size_t kNamed = 12;

bool is_unpaired(const Tap& tap) {
  return tap.verdict == Verdict::missing || tap.verdict == Verdict::additional;
}

bool is_fine(const Tap& tap) {
  return tap.verdict != Verdict::suspect && run::passes(tap.verdict, run::Strictness::normal);
}

IsFirstDivergence first(const Report& report, const Case& item, const Tap& tap) {
  const auto& divergence = report.first_divergence;
  return divergence && divergence->case_name == item.name && divergence->tap == tap.id
             ? IsFirstDivergence::yes
             : IsFirstDivergence::no;
}

/// Taps that have a row; unpaired ones are listed by name below the table.
std::vector<const Tap*> rows_of(const Report& report, const Case& item, Show show) {
  std::vector<const Tap*> rows;
  if (show == Show::summary) return rows;
  for (const Tap& tap : item.taps) {
    const bool wanted =
        show == Show::all || !is_fine(tap) || first(report, item, tap) == IsFirstDivergence::yes;
    if (!is_unpaired(tap) && wanted) rows.push_back(&tap);
  }
  return rows;
}

std::string verdict_counts(const Case& item) {
  std::map<Verdict, std::uint64_t> counts;
  for (const Tap& tap : item.taps) ++counts[tap.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, run::name(verdict));
  }
  return text;
}

void add_rows(Page& page, const Report& report, const Case& item, const Layout& layout, Show show) {
  const std::vector<const Tap*> rows = rows_of(report, item, show);
  if (!rows.empty()) page.line(layout.title_line(page.color()));
  for (const Tap* tap : rows)
    page.line(
        layout.line(tap_row(*tap, first(report, item, *tap), extra_columns(report)), page.color()));
  const auto passing = std::count_if(item.taps.begin(), item.taps.end(), is_fine);
  const auto shown =
      std::count_if(rows.begin(), rows.end(), [](const Tap* tap) { return is_fine(*tap); });
  const auto hidden = static_cast<std::uint64_t>(passing - shown);
  if (show != Show::all && hidden > 0) {
    page.wrapped("  ", fmt::format("{} {} and {} hidden (--show all lists {})",
                                   plural(hidden, "tap"), hidden == 1 ? "passes" : "pass",
                                   hidden == 1 ? "is" : "are", hidden == 1 ? "it" : "them"));
  }
}

void add_names(Page& page, const Case& item, Verdict verdict, std::string_view title) {
  std::string names;
  std::uint64_t count = 0;
  for (const Tap& tap : item.taps) {
    if (tap.verdict != verdict || ++count > kNamed) continue;
    names += (names.empty() ? "" : ", ") + tap_name(tap.id);
  }
  if (count == 0) return;
  if (count > kNamed) names += fmt::format(" and {} more", count - kNamed);
  page.wrapped("  ", fmt::format("{} ({}): {}", title, count, names), Tone::bad);
}

/// The first divergence comes first, then failing taps, then suspect ones, each in execution order.
void add_details(Page& page, const Report& report, const Case& item, const TableOptions& options) {
  std::vector<const Tap*> taps;
  for (const Tap& tap : item.taps) {
    if (!is_unpaired(tap) && !is_fine(tap)) taps.push_back(&tap);
  }
  const auto rank = [&](const Tap* tap) {
    if (first(report, item, *tap) == IsFirstDivergence::yes) return 0;
    return tap->verdict == Verdict::suspect ? 2 : 1;
  };
  std::stable_sort(taps.begin(), taps.end(),
                   [&](const Tap* one, const Tap* other) { return rank(one) < rank(other); });
  const std::size_t limit = options.show == Show::summary ? 1 : kDetailed;
  for (std::size_t i = 0; i < std::min(limit, taps.size()); ++i) {
    add_tap_details(page, *taps[i], rank(taps[i]) == 0 ? "→" : "", options.top);
  }
  if (taps.size() > limit) {
    page.wrapped("  ", fmt::format("{} more without details here; the JSON report has them",
                                   plural(taps.size() - limit, "failing or suspect tap")));
  }
}

/// Remarks on taps that pass, such as a constant reference.
void add_remarks(Page& page, const Case& item) {
  std::string text;
  std::uint64_t count = 0;
  constexpr std::uint64_t kShown = 3;
  for (const Tap& tap : item.taps) {
    if (!is_fine(tap) || tap.reasons.empty() || ++count > kShown) continue;
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : "; ", tap_name(tap.id), tap.reasons.front());
  }
  if (count == 0) return;
  if (count > kShown) text += fmt::format("; and {} more", plural(count - kShown, "passing tap"));
  page.wrapped("  noted: ", text);
}

}  // namespace

Layout layout_of(const Report& report, const TableOptions& options) {
  std::vector<Row> rows;
  for (const Case& item : report.cases) {
    for (const Tap* tap : rows_of(report, item, options.show))
      rows.push_back(tap_row(*tap, first(report, item, *tap), extra_columns(report)));
  }
  return {tap_columns(extra_columns(report)), rows, Page(options).width()};
}

void add_case(Page& page, const Report& report, const Case& item, const Layout& layout,
              const TableOptions& options) {
  page.blank();
  const std::string counts = item.taps.empty() ? "nothing compared" : verdict_counts(item);
  page.wrapped("",
               fmt::format("case {}: {}, {}", item.name, plural(item.taps.size(), "tap"), counts),
               Tone::strong);
  for (const std::string& note : item.notes) page.wrapped("  note: ", note);
  add_rows(page, report, item, layout, options.show);
  add_names(page, item, Verdict::missing, "missing in the candidate");
  add_names(page, item, Verdict::additional, "additional in the candidate");
  add_details(page, report, item, options);
  if (options.show != Show::summary) add_remarks(page, item);
  const auto& divergence = report.first_divergence;
  const auto mark = [&](const run::TapId& id) {
    return divergence && divergence->case_name == item.name && divergence->tap == id ? "→" : "";
  };
  if (item.decode) add_decode(page, item, mark(item.decode->id));
  for (const Logits* logits : shown_logits(item, options.show))
    add_logits(page, *logits, mark(logits->id));
}

}  // namespace parity::report
