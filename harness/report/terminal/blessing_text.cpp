// What a refreshed golden changes, for a terminal. Names come out of files that nobody vouches for,
// so no text is shown uncleaned.
#include <fmt/format.h>

#include "report/data/blessing.h"
#include "report/terminal/blessing_lines.h"
#include "report/terminal/page.h"
#include "report/words/columns.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

void add_file(Page& page, std::string_view role, const BlessedFile& file) {
  page.wrapped(role, fmt::format("{}, model {} ({})", file.file, file.model_file, file.model_kind));
}

void add_environment(Page& page, const Blessing& blessing) {
  page.blank();
  if (blessing.environment_diff.empty()) {
    page.wrapped("", "environment: no difference");
    return;
  }
  page.clipped("environment (old -> new)", Tone::strong);
  for (const run::Difference& difference : blessing.environment_diff) {
    const run::Difference each = as_shown(difference);
    const bool changes = changes_numbers(blessing, each);
    const std::string text =
        fmt::format("{}: {} -> {}{}", each.key, absent_or(each.reference),
                    absent_or(each.candidate), changes ? "  changes numbers" : "");
    page.wrapped(changes ? "! " : "  ", text, changes ? Tone::warning : Tone::plain);
  }
}

template <typename Change>
void add_changes(Page& page, std::string_view title, const std::vector<Change>& changes) {
  if (changes.empty()) return;
  page.blank();
  page.clipped(title, Tone::strong);
  for (const Change& change : changes) page.wrapped("  ", line_of(change), Tone::warning);
}

Row row_of(const ValueChange& change) {
  const bool measured = change.measured > 0;
  return {"",
          {{clean(change.layers), Tone::plain},
           {std::string(tensor::name(change.dtype)), Tone::plain},
           {std::to_string(change.taps), Tone::plain},
           {measured ? short_count(static_cast<double>(change.max_ulp)) : "", Tone::plain},
           {measured ? short_number(change.nrmse) : "", Tone::plain},
           {change.noise_nrmse ? short_number(*change.noise_nrmse) : "", Tone::plain},
           {truth_cell(change), Tone::plain},
           {std::string(run::name(change.verdict)), tone_of(change.verdict)}}};
}

/// Of the worst groups; Markdown and JSON have the places of all.
void add_places(Page& page, const Blessing& blessing) {
  constexpr std::size_t kShown = 3;
  std::size_t shown = 0;
  for (const ValueChange& change : blessing.values) {
    const std::string text = places_line(change);
    if (run::passes(change.verdict, run::Strictness::strict) || text.empty()) continue;
    page.wrapped("  ", text);
    if (++shown == kShown) return;
  }
}

void add_values(Page& page, const Blessing& blessing) {
  page.blank();
  page.clipped("values: " + identical_line(blessing), Tone::strong);
  if (blessing.values.empty()) return;
  std::vector<Row> rows;
  for (const ValueChange& change : blessing.values) rows.push_back(row_of(change));
  const Layout layout({{"layers", Align::left, 9},
                       {"dtype", Align::left, 3},
                       {"taps", Align::right, 7},
                       {"ulp max", Align::right, 5},
                       {"nrmse", Align::right, 6},
                       {"noise", Align::right, 4},
                       {"against the truth", Align::left, 2},
                       {"verdict", Align::left, 8}},
                      rows, page.width());
  page.line(layout.title_line(page.color()));
  for (const Row& row : rows) page.line(layout.line(row, page.color()));
  add_places(page, blessing);
}

}  // namespace

std::string to_text(const Blessing& blessing, const TableOptions& options) {
  Page page(options);
  add_file(page, "old        ", blessing.before);
  add_file(page, "new        ", blessing.after);
  add_environment(page, blessing);
  add_changes(page, "model", blessing.weights);
  add_changes(page, "cases", blessing.cases);
  add_changes(page, "taps", blessing.taps);
  add_values(page, blessing);
  add_changes(page, "logits that are not the same", blessing.logits);
  page.blank();
  page.clipped("for the list of changes beside the goldens; add why", Tone::strong);
  page.wrapped("", "");
  std::string_view entry = blessing.changes_entry;
  while (!entry.empty()) {
    const std::size_t end = std::min(entry.find('\n'), entry.size());
    page.line(clean(entry.substr(0, end)));
    entry.remove_prefix(std::min(end + 1, entry.size()));
  }
  page.blank();
  page.command("repro   ", blessing.repro);
  page.wrapped("verdict ",
               verdict_line(blessing) + fmt::format(", exit code {}", blessing.exit_code),
               blessing.exit_code == 0 ? Tone::good : Tone::bad);
  return page.text();
}

}  // namespace parity::report
