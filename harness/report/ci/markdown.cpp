#include "report/ci/markdown.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/ci/markdown_text.h"
#include "report/terminal/decode_section.h"
#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/tap_details.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/unmeasured.h"
#include "report/words/user_effect.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

constexpr std::size_t kWorstTaps = 10;
constexpr std::size_t kCases = 100;
constexpr std::size_t kDifferences = 40;
constexpr std::size_t kLines = 5;
constexpr int kName = 90;
constexpr int kValue = 80;
constexpr int kSentence = 400;

constexpr std::string_view kCut =
    "\n*Cut here: a comment takes no more than this. The JSON report (`--json`) has all of it.*\n";
constexpr std::string_view kUnfold = "\n</details>\n";

/// Whole lines up to a number of bytes.
class Lines {
 public:
  explicit Lines(std::size_t most_bytes) : most_(most_bytes) {}

  void add(const std::string& line) {
    if (cut_) return;
    cut_ = text_.size() + line.size() + 1 + kUnfold.size() + kCut.size() > most_;
    if (cut_ && folded_) text_ += kUnfold;
    text_ += cut_ ? std::string(kCut) : line + "\n";
  }
  /// What follows shows once the reader opens it, until unfold().
  void fold(const std::string& summary) {
    add("<details><summary>" + summary + "</summary>");
    folded_ = !cut_;
  }
  void unfold() {
    if (!folded_ || cut_) return;
    text_ += kUnfold;
    folded_ = false;
  }
  void blank() { add(""); }
  void row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + cell + " |";
    add(line);
  }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::size_t most_;
  std::string text_;
  bool cut_ = false;
  bool folded_ = false;
};

std::string prose(std::string_view text) { return markdown_sentence(text, kSentence); }
std::string code(std::string_view text) { return markdown_code(text, kName); }
std::string tap(const run::TapId& id) {
  return markdown_code(keep_tails(tap_name(id), kName), kName);
}

void add_more(Lines& lines, std::size_t shown, std::size_t all, const std::string& what) {
  if (all <= shown) return;
  lines.blank();
  lines.add(fmt::format("and {} more", plural(all - shown, what)));
}

void add_verdict(Lines& lines, const Report& report) {
  const bool passed = report.result == Result::pass;
  lines.add(fmt::format("## parity: {}", passed ? "PASS" : "FAIL"));
  lines.blank();
  std::string text =
      fmt::format("**{}**, exit code {}", passed ? "PASS" : "FAIL", report.exit_code);
  const std::string reasons =
      report.reasons.empty() && passed ? "every tap is identical" : joined(report.reasons);
  if (!reasons.empty()) text += ": " + prose(reasons);
  lines.add(text);
  lines.blank();
}

/// The place and the pattern are the best clue to a cause.
void add_clues(Lines& lines, const compare::TensorComparison& facts) {
  if (facts.where.outside > 0) lines.add("  - Where: " + prose(where_text(facts)));
  for (const compare::Hint& hint : facts.hints)
    lines.add(fmt::format("  - Pattern ({}): {}", prose(hint.pattern), prose(hint.evidence)));
}

const Tap* tap_at(const Report& report, const std::string& case_name, const run::TapId& id) {
  for (const Case& item : report.cases) {
    if (item.name != case_name) continue;
    for (const Tap& one : item.taps) {
      if (one.id == id) return &one;
    }
  }
  return nullptr;
}

void add_attribution(Lines& lines, const Report& report, const Attribution& attribution) {
  if (attribution.blame.empty()) lines.add("- **Attribution:** " + prose(attribution.sentence));
  if (attribution.blame.empty()) return;
  const Blame& first = attribution.blame.front();
  const std::string name = run::to_string(first.tap) + " ";
  const bool begins = attribution.sentence.rfind(name, 0) == 0;
  lines.add("- **Attribution:** " +
            (begins ? tap(first.tap) + " " + prose(attribution.sentence.substr(name.size()))
                    : prose(attribution.sentence)));
  const Tap* blamed = tap_at(report, first.case_name, first.tap);
  if (blamed != nullptr && blamed->introduced) {
    add_clues(lines, *blamed->introduced);
  } else if (blamed != nullptr && blamed->facts) {
    add_clues(lines, *blamed->facts);
  }
  // Of one culprit the sentence says it.
  const std::size_t said = attribution.finding == "culprit" ? 1 : 0;
  for (std::size_t i = said; i < std::min(kLines, attribution.blame.size()); ++i) {
    const Blame& blame = attribution.blame[i];
    lines.add(fmt::format(
        "  - {} introduces nrmse {} by itself, {} explained by rounding: {} % of "
        "what is unexplained (case {})",
        tap(blame.tap), short_number(blame.introduced_nrmse), short_number(blame.explained_nrmse),
        percent(blame.share), code(blame.case_name)));
  }
  if (!first.operators_sentence.empty()) {
    lines.add(fmt::format("- **{}:** {}: {}", first.culprit ? "Operator" : "Operators",
                          tap(first.tap), prose(first.operators_sentence)));
  }
}

void add_decode(Lines& lines, const Case& item) {
  if (!item.decode || !item.decode->first_divergent) return;
  const DivergentToken& token = *item.decode->first_divergent;
  lines.add(fmt::format(
      "- **Decode** of case {}: {} of {} agree; the first that does not is token {} of row {}, "
      "where the reference's two best are {} apart ({})",
      code(item.name), item.decode->agree, plural(item.decode->compared, "token"), token.token,
      token.row, short_number(token.margin), token.decided ? "decided" : "undecided"));
}

void add_logits(Lines& lines, const Report& report) {
  std::size_t shown = 0;
  for (const Case& item : report.cases) {
    for (const Logits& logits : item.logits) {
      if (is_fine(logits.verdict) || ++shown > kLines) continue;
      lines.add(fmt::format("- **Logits** of {} in case {}: **{}**, {}", tap(logits.id),
                            code(item.name), run::name(logits.verdict),
                            prose(joined(logits.reasons))));
    }
  }
  if (shown > kLines)
    lines.add(fmt::format("- and logits of {} more", plural(shown - kLines, "output")));
}

/// Why the tap, or the logits, at a place do not pass: the first reason.
std::string reason_at(const Report& report, const Place& place) {
  const Tap* found = tap_at(report, place.case_name, place.tap);
  if (found != nullptr && !is_fine(found->verdict) && !found->reasons.empty())
    return found->reasons.front();
  for (const Case& item : report.cases) {
    if (item.name != place.case_name) continue;
    for (const Logits& one : item.logits) {
      if (one.id == place.tap && !is_fine(one.verdict) && !one.reasons.empty())
        return one.reasons.front();
    }
  }
  return "";
}

void add_first_divergence(Lines& lines, const Report& report) {
  if (!report.first_divergence) return;
  const Place& first = *report.first_divergence;
  const std::string reason = reason_at(report, first);
  lines.add(fmt::format("- **First divergence:** {} in case {}{}", tap(first.tap),
                        code(first.case_name), reason.empty() ? "" : ": " + prose(reason)));
  // Of a layer to blame they stand below it.
  const bool blames = report.attribution && !report.attribution->blame.empty();
  const Tap* found = tap_at(report, first.case_name, first.tap);
  if (!blames && found != nullptr && found->facts) add_clues(lines, *found->facts);
}

void add_notes(Lines& lines, const Report& report) {
  for (std::size_t i = 0; i < std::min(kLines, report.notes.size()); ++i)
    lines.add("- Note: " + prose(report.notes[i]));
  if (report.notes.size() > kLines)
    lines.add(fmt::format("- and {} more", plural(report.notes.size() - kLines, "note")));
}

void add_user_effect(Lines& lines, const Report& report) {
  if (report.cases.empty()) return;
  std::string text;
  for (const std::string& sentence : user_effect(report))
    text += (text.empty() ? "" : " ") + markdown_sentence(sentence, kSentence);
  lines.add("- **Would a user notice?** " + text);
}

void add_findings(Lines& lines, const Report& report) {
  add_notes(lines, report);
  add_first_divergence(lines, report);
  if (report.attribution) add_attribution(lines, report, *report.attribution);
  add_user_effect(lines, report);
  if (report.truth && !report.truth->sentence.empty())
    lines.add("- **Truth:** " + prose(report.truth->sentence));
  if (report.noise && !report.noise->sentence.empty())
    lines.add("- **Noise:** " + prose(report.noise->sentence));
  if (const std::string text = self_comparison_text(report); !text.empty())
    lines.add("- **Self-comparison:** " + text);
  for (std::size_t i = 0; i < std::min(kLines, report.cases.size()); ++i)
    add_decode(lines, report.cases[i]);
  add_logits(lines, report);
  lines.add(
      fmt::format("- **Reference:** {}{}, **candidate:** {}", code(device_text(report.reference)),
                  report.model_file.empty() ? "" : ", recorded from " + code(report.model_file),
                  code(device_text(report.candidate))));
}

std::string value_cell(const std::string& value) {
  return value.empty() ? "(absent)" : markdown_code(value, kValue);
}

void add_environment(Lines& lines, const Report& report) {
  if (report.environment_diff.empty()) return;
  const std::vector<run::Difference> differences = switches_first(report);
  const bool is_folded = !has_decisive_switch(report);
  lines.blank();
  if (is_folded) {
    lines.fold(fmt::format("What differs in the environments: {}, no switch that changes numbers",
                           plural(differences.size(), "fact")));
  } else {
    lines.add("### What differs in the environments");
  }
  lines.blank();
  lines.row({"", "reference", "candidate", ""});
  lines.add("|---|---|---|---|");
  const std::size_t shown = std::min(kDifferences, differences.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const run::Difference& difference = differences[i];
    const std::string_view mark = mark_of(report, difference);
    lines.row({code(difference.key), value_cell(difference.reference),
               value_cell(difference.candidate), mark.empty() ? "" : fmt::format("**{}**", mark)});
  }
  add_more(lines, shown, differences.size(), "difference");
  lines.unfold();
}

void add_case_row(Lines& lines, const Case& item) {
  const Tap* worst = worst_tap(item);
  const std::optional<WorstLogits> logits = worst_logits(item);
  lines.row({code(item.name), item.result == Result::pass ? "PASS" : "**FAIL**",
             std::to_string(item.taps.size()), std::to_string(suspect_taps(item)),
             std::to_string(failed_taps(item)),
             worst == nullptr ? "-" : short_number(worst->facts->nrmse),
             worst == nullptr || worst->facts->nrmse == 0 ? "-" : tap(worst->id),
             logits ? percent(logits->top1_agreement) : "-",
             logits ? std::to_string(logits->decided_flips) : "-",
             logits ? short_number(logits->kl_mean) : "-"});
}

void add_cases(Lines& lines, const Report& report) {
  lines.blank();
  lines.add("### Cases");
  lines.blank();
  if (report.cases.empty()) lines.add("No case was compared.");
  if (report.cases.empty()) return;
  // Those that fail first: the list may end before its last.
  std::vector<const Case*> cases;
  for (const Case& item : report.cases) cases.push_back(&item);
  std::stable_partition(cases.begin(), cases.end(),
                        [](const Case* item) { return item->result == Result::fail; });
  lines.row({"case", "verdict", "taps", "suspect", "failed", "largest nrmse", "at", "top-1 %",
             "decided flips", "KL mean"});
  lines.add("|---|---|--:|--:|--:|--:|---|--:|--:|--:|");
  const std::size_t shown = std::min(kCases, cases.size());
  for (std::size_t i = 0; i < shown; ++i) add_case_row(lines, *cases[i]);
  add_more(lines, shown, cases.size(), "case");
}

/// "~" on both sides of a text would strike it through.
std::string figure_cell(const std::string& figure) {
  return figure.rfind('~', 0) == 0 ? "\\" + figure : figure;
}

/// Each layer once, of the case where it is worst: those that introduce error first.
std::vector<WorstTap> worst_layers(const Report& report) {
  std::vector<WorstTap> layers;
  std::set<std::string> seen;
  for (const WorstTap& worst : worst_taps(report, std::numeric_limits<std::size_t>::max())) {
    if (seen.insert(run::to_string(worst.tap->id)).second) layers.push_back(worst);
  }
  if (report.attribution) {
    std::set<std::string> blamed;
    for (const Blame& blame : report.attribution->blame) blamed.insert(run::to_string(blame.tap));
    std::stable_partition(layers.begin(), layers.end(), [&](const WorstTap& worst) {
      return blamed.count(run::to_string(worst.tap->id)) > 0;
    });
  }
  layers.resize(std::min(kWorstTaps, layers.size()));
  return layers;
}

void add_tap_row(Lines& lines, const Report& report, const WorstTap& worst) {
  const Tap& one = *worst.tap;
  std::vector<std::string> cells = {tap(one.id), code(worst.item->name),
                                    is_fine(one.verdict)
                                        ? std::string(run::name(one.verdict))
                                        : fmt::format("**{}**", run::name(one.verdict))};
  std::vector<std::string> figures(7, "-");
  if (one.facts) figures = tap_figures(*one.facts);
  cells.push_back(figures.at(6));
  if (report.attribution)
    cells.push_back(one.introduced ? short_number(one.introduced->nrmse) : "-");
  if (report.truth) cells.push_back(one.truth ? short_number(one.truth->ratio) : "-");
  for (const std::size_t place : {1U, 2U, 5U}) cells.push_back(figure_cell(figures.at(place)));
  cells.push_back(one.reasons.empty() ? "" : markdown_prose(one.reasons.front(), 160));
  lines.row(cells);
}

void add_words(Lines& lines, const Report& report) {
  lines.blank();
  std::string text =
      "tap: one result of a layer. suspect: beyond a warn bound, a warning. nrmse: "
      "norm(c-r)/norm(r) "
      "of the candidate's values against the reference's. ";
  if (report.attribution)
    text += "introduced: the nrmse of a layer that is fed with the reference's own inputs. ";
  text +=
      "ulp: values of the dtype stepped over, \\~ the upper edge of a bin. exact %: elements with "
      "equal bits. decided flips: positions where the best token changes though the reference's "
      "two "
      "best were far apart. KL: how far the distribution over tokens moved, in nat.";
  lines.add(text);
}

void add_worst_taps(Lines& lines, const Report& report) {
  const std::vector<WorstTap> worst = worst_layers(report);
  if (worst.empty()) return;
  lines.blank();
  lines.add(fmt::format("### Worst {}", worst.size() == 1 ? "layer" : "layers"));
  lines.blank();
  std::vector<std::string> titles = {"layer", "worst case", "verdict", "nrmse"};
  std::string rule = "|---|---|---|--:|";
  if (report.attribution) titles.emplace_back("introduced");
  if (report.truth) titles.emplace_back("to truth");
  for (const char* title : {"ulp p99", "ulp max", "exact %", "why"}) titles.emplace_back(title);
  for (std::size_t i = 4; i + 1 < titles.size(); ++i) rule += "--:|";
  lines.row(titles);
  lines.add(rule + "---|");
  for (const WorstTap& entry : worst) add_tap_row(lines, report, entry);
  add_words(lines, report);
}

void add_end(Lines& lines, const Report& report) {
  const Totals& totals = report.totals;
  const std::string unmeasured = unmeasured_text(report);
  lines.blank();
  lines.add(fmt::format("{} in {}: {} passed, {} suspect, {} failed, under policy {}{}",
                        plural(totals.taps, "tap"), plural(report.cases.size(), "case"),
                        totals.passed, totals.warned, totals.failed,
                        markdown_code(report.policy_name, kName),
                        unmeasured.empty() ? "" : "; " + prose(unmeasured)));
  if (report.repro.empty()) return;
  lines.blank();
  // Four spaces: nothing inside is Markdown, whatever it holds, and it can be pasted.
  lines.add("    " + clean(report.repro));
}

}  // namespace

std::string to_markdown(const Report& report, std::size_t most_bytes) {
  Lines lines(most_bytes);
  add_verdict(lines, report);
  add_findings(lines, report);
  add_environment(lines, report);
  add_cases(lines, report);
  add_worst_taps(lines, report);
  add_end(lines, report);
  return lines.text();
}

}  // namespace parity::report
