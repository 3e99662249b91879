#include "report/terminal/attribution_section.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

constexpr std::size_t kShown = 5;

template <typename Item, typename Line>
void add_list(Page& page, const std::vector<Item>& items, const Line& line) {
  const std::size_t shown = std::min(kShown, items.size());
  for (std::size_t i = 0; i < shown; ++i) page.clipped(line(items[i]));
  if (items.size() > shown) page.clipped(fmt::format("  and {} more", items.size() - shown));
}

/// Operators that compute nothing; the JSON lists them.
bool only_moves(const OperatorLine& line) {
  static const std::set<std::string_view> kMoving = {
      "aten.view",   "aten.reshape",    "aten.transpose", "aten.permute", "aten.t",
      "aten.expand", "aten.contiguous", "aten.unsqueeze", "aten.squeeze", "aten.slice",
      "aten.select", "aten.flatten",    "aten.unflatten", "aten.chunk",   "aten.split"};
  return kMoving.count(line.name) != 0;
}

std::string path_text(const Blame& blame) {
  return clean(blame.tap.path.empty() ? "(root)" : blame.tap.path);
}

/// "blocks.1.attn / aten.softmax (attention.py:12), aten.matmul (attention.py:13)"
std::string operators_text(const Blame& blame) {
  const bool all_move = std::all_of(blame.operators.begin(), blame.operators.end(), only_moves);
  std::string text;
  for (const OperatorLine& line : blame.operators) {
    if (only_moves(line) && !all_move) continue;
    text += (text.empty() ? "" : ", ") + clean(line.name);
    if (!line.source.empty()) text += " (" + clean(line.source) + ")";
  }
  return path_text(blame) + " / " + text;
}

std::string blame_line(const Blame& blame) {
  return fmt::format("  {:>6} %  {}  introduces {}, explained {}", percent(blame.share),
                     tap_name(blame.tap), short_number(blame.introduced_nrmse),
                     short_number(blame.explained_nrmse));
}

std::string source_line(const Source& source) {
  return fmt::format("  {:>6} %  {}  {}, nrmse up to {}", percent(source.share),
                     clean(source.layers), plural(source.taps, "tap"), short_number(source.nrmse));
}

void add_operators(Page& page, const Blame& blame) {
  if (blame.operators.empty()) return;
  page.wrapped("computed there by ", operators_text(blame));
  const std::string sentence = clean(blame.operators_sentence);
  if (blame.culprit) {
    page.wrapped("culprit ", path_text(blame) + " / " + sentence, Tone::strong);
  } else {
    page.wrapped("operators ", sentence);
  }
}

}  // namespace

void add_attribution(Page& page, const Report& report) {
  if (!report.attribution) return;
  const Attribution& attribution = *report.attribution;
  page.blank();
  page.wrapped("attribution ", attribution.sentence, Tone::strong);
  if (!attribution.blame.empty()) {
    page.clipped("introduced beyond what rounding explains, by share:");
    add_list(page, attribution.blame, blame_line);
  }
  if (!attribution.blame.empty()) add_operators(page, attribution.blame.front());
  if (!attribution.sources.empty()) {
    page.clipped("all that layers introduce, by share of squares:");
    add_list(page, attribution.sources, source_line);
  }
}

}  // namespace parity::report
