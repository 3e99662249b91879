// GitHub shows at most ten annotations of a kind for a step and drops the others.
#include "report/ci/annotations.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/environment.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

constexpr std::size_t kMost = 10;
constexpr int kLongestTitle = 120;
constexpr int kLongestMessage = 1000;

struct Annotation {
  run::Verdict verdict;
  std::string title;
  std::string message;
};

/// As the runner decodes it: "%" first, then line ends; in a title also what ends it.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

std::string line(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level,
                     escaped(keep_head(clean(title), kLongestTitle), "%\r\n:,"),
                     escaped(keep_head(clean(message), kLongestMessage), "%\r\n"));
}

std::string in_case(const Case& item) { return "case " + item.name + ": "; }

void add_logits(std::vector<Annotation>& list, const Case& item) {
  for (const Logits& logits : item.logits) {
    if (is_fine(logits.verdict)) continue;
    list.push_back({logits.verdict,
                    fmt::format("logits of {} {}", tap_name(logits.id), run::name(logits.verdict)),
                    in_case(item) + joined(logits.reasons)});
  }
  if (item.decode && !is_fine(item.decode->verdict)) {
    list.push_back({item.decode->verdict,
                    fmt::format("decoded tokens {}", run::name(item.decode->verdict)),
                    in_case(item) + joined(item.decode->reasons)});
  }
}

/// Failures of taps and logits, then what is suspect.
std::vector<Annotation> annotations_of(const Report& report) {
  std::vector<Annotation> all;
  for (const WorstTap& worst : worst_taps(report, kMost)) {
    const Tap& tap = *worst.tap;
    if (is_fine(tap.verdict)) continue;
    const std::string figures = figures_text(tap);
    all.push_back({tap.verdict, fmt::format("{} {}", tap_name(tap.id), run::name(tap.verdict)),
                   in_case(*worst.item) + joined(tap.reasons) +
                       (figures.empty() || tap.reasons.empty() ? "" : "; ") + figures});
  }
  for (const Case& item : report.cases) add_logits(all, item);
  std::stable_partition(all.begin(), all.end(),
                        [](const Annotation& entry) { return is_failure(entry.verdict); });
  return all;
}

std::string verdict_text(const Report& report) {
  std::string text = report.reasons.empty() ? "see the table" : joined(report.reasons);
  if (report.first_divergence) {
    text += fmt::format(". First divergence: {} in case {}", tap_name(report.first_divergence->tap),
                        report.first_divergence->case_name);
  }
  if (report.attribution) text += ". Attribution: " + report.attribution->sentence;
  return text;
}

/// A green run says nothing else here, and might be taken for a proof.
std::string self_comparison_line(const Report& report) {
  const std::string text = self_comparison_text(report);
  return text.empty() ? "" : line("notice", "parity: self-comparison", text);
}

}  // namespace

std::string to_annotations(const Report& report) {
  const std::vector<Annotation> all = annotations_of(report);
  const bool passed = report.result == Result::pass;
  if (passed && all.empty()) return self_comparison_line(report);
  std::string text =
      line(passed ? "notice" : "error",
           passed ? "parity: passed with warnings" : "parity: gate failed", verdict_text(report));
  // Without a failure it is the suspect ones that a strict run fails for.
  const bool only_suspect = all.empty() || !is_failure(all.front().verdict);
  // Those of a gate that passed are all notices, as is that of a self-comparison.
  const std::string last = self_comparison_line(report);
  const std::size_t most = passed && !last.empty() ? kMost - 1 : kMost;
  for (std::size_t i = 0; i < all.size() && i + 1 < most; ++i) {
    const bool is_error = only_suspect || is_failure(all[i].verdict);
    text += line(passed     ? "notice"
                 : is_error ? "error"
                            : "warning",
                 "parity: " + all[i].title, all[i].message);
  }
  return text + last;
}

std::string without_commands(std::string_view text) {
  constexpr std::string_view kWordJoiner = "\xE2\x81\xA0";
  constexpr std::string_view kCommand = "::";      // at the start of a line, behind spaces
  constexpr std::string_view kOldCommand = "##[";  // anywhere
  std::string result;
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    const bool begins = at_start && text.substr(i, kCommand.size()) == kCommand;
    if (begins || text.substr(i, kOldCommand.size()) == kOldCommand) result += kWordJoiner;
    at_start = text[i] == '\n' || (at_start && text[i] == ' ');
  }
  return result;
}

}  // namespace parity::report
