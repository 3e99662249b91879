// The order of a table report: what was compared, what differs around it, the cases, the bounds,
// the verdict.
#include "report/terminal/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/terminal/attribution_section.h"
#include "report/terminal/case_list.h"
#include "report/terminal/case_section.h"
#include "report/terminal/page.h"
#include "report/terminal/tap_rows.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/text.h"
#include "report/words/unmeasured.h"

namespace parity::report {
namespace {

void add_side(Page& page, std::string_view role, const Side& side) {
  const std::string source =
      side.file.empty() ? "replayed on this host" : "recorded in " + side.file;
  page.wrapped(fmt::format("{:<11}", role), device_text(side) + ", " + source);
}

/// The recorded run is one of them.
std::uint64_t count_of_runs(const NoiseSummary& noise) {
  return static_cast<std::uint64_t>(noise.repeats) + 1;
}

void add_header(Page& page, const Report& report) {
  std::string model = report.model_file.empty() ? "unnamed model" : report.model_file;
  if (!report.model_kind.empty()) model += " (" + report.model_kind + ")";
  page.wrapped("parity     ", model, Tone::strong);
  add_side(page, "reference", report.reference);
  add_side(page, "candidate", report.candidate);
  if (report.truth)
    page.wrapped("truth      ", report.truth->dtype + ", recorded in " + report.truth->file);
  if (report.noise && report.noise->sentence.empty()) {
    page.wrapped("noise      ", fmt::format("none: every tap of the reference has the same bits in "
                                            "{} of it",
                                            plural(count_of_runs(*report.noise), "run")));
  } else if (report.noise) {
    page.wrapped("noise      ", report.noise->sentence, Tone::warning);
  }
  if (const std::string text = self_comparison_text(report); !text.empty())
    page.wrapped("", "SELF-COMPARISON: " + text, Tone::warning);
  for (const std::string& note : report.notes) page.wrapped("note: ", note);
}

std::string shown_value(const std::string& value) {
  return value.empty() ? "(absent)" : clean(value);
}

void add_difference(Page& page, const Report& report, const run::Difference& difference,
                    int key_width) {
  const bool changes = changes_numbers(report, difference);
  const std::string start =
      (changes ? "! " : "  ") + pad_right(keep_head(clean(difference.key), key_width), key_width);
  const std::string_view mark = mark_of(report, difference);
  const std::string tail = mark.empty() ? "" : "  " + std::string(mark);
  constexpr int kBetween = 2 + 4;  // "  " before the first value and " -> " between them
  const int room = page.width() - display_width(start) - kBetween - display_width(tail);
  const std::string reference = shown_value(difference.reference);
  const std::string candidate = shown_value(difference.candidate);
  const int reference_room = std::max(room / 2, room - display_width(candidate));
  const std::string left = keep_head(reference, reference_room);
  const std::string right = keep_head(candidate, room - display_width(left));
  page.line(paint(fmt::format("{}  {} -> {}{}", start, left, right, tail),
                  changes ? Tone::warning : Tone::plain, page.color()));
}

void add_environment(Page& page, const Report& report, Show show) {
  if (report.environment_diff.empty()) return;
  std::vector<run::Difference> differences = switches_first(report);
  const auto rest = std::find_if(
      differences.begin(), differences.end(),
      [&](const run::Difference& difference) { return !changes_numbers(report, difference); });
  const auto others = static_cast<std::uint64_t>(differences.end() - rest);
  if (show == Show::summary) differences.erase(rest, differences.end());
  int key_width = 0;
  for (const run::Difference& difference : differences) {
    key_width = std::max(key_width, display_width(clean(difference.key)));
  }
  page.blank();
  page.clipped("environment differences (reference -> candidate)", Tone::strong);
  for (const run::Difference& difference : differences) {
    add_difference(page, report, difference, std::min(key_width, page.width() / 3));
  }
  if (show == Show::summary && others > 0) {
    const std::string what = differences.empty()
                                 ? plural(others, "difference") + ", no switch that changes numbers"
                                 : plural(others, "other difference");
    page.wrapped("  ",
                 fmt::format("{} (--show failing lists {})", what, others == 1 ? "it" : "them"));
  }
}

void add_bounds(Page& page, const Report& report) {
  const std::vector<BoundText>& bounds = report.policy_bounds;
  if (bounds.empty()) return;
  std::size_t scope_width = 0;
  std::size_t metric_width = 0;
  for (const BoundText& bound : bounds) {
    scope_width = std::max(scope_width, bound.scope.size());
    metric_width = std::max(metric_width, bound.metric.size());
  }
  page.blank();
  page.clipped(fmt::format("bounds in force (policy {})", report.policy_name), Tone::strong);
  std::string rule;
  for (const BoundText& bound : bounds) {
    if (bound.rule != rule) page.wrapped("  ", "rule " + bound.rule);
    rule = bound.rule;
    const std::string limits =
        fmt::format("    {:<{}}  {:<{}}  warn {:<8}  fail {:<8}  ", bound.scope, scope_width,
                    bound.metric, metric_width, limit_number(bound.warn), limit_number(bound.fail));
    // On a narrow page the origin goes below its limits, where it has room.
    constexpr int kLeastRoom = 50;
    if (page.width() - display_width(clean(limits)) >= kLeastRoom) {
      page.wrapped(limits, bound.origin);
    } else {
      page.clipped(limits.substr(0, limits.find_last_not_of(' ') + 1));
      page.wrapped("        ", bound.origin);
    }
  }
  if (const std::string text = unmeasured_text(report); !text.empty()) page.wrapped("  ", text);
}

void add_legend(Page& page, const Report& report, const Layout& layout, Show show) {
  if (show == Show::summary || report.cases.empty()) return;
  page.blank();
  if (layout.shows(histogram_column(extra_columns(report)))) {
    page.wrapped("",
                 "ulp hist: elements at 0, 1, 2, 3-4, 5-8, 9-64, 65-1024 and more ulp, each bar in "
                 "proportion to "
                 "the highest, a dot for none.");
  }
  page.wrapped("",
               "ulp: values of the dtype stepped over. rel: abs(c-r)/abs(r). exact %: elements "
               "with equal bits. "
               "nrmse: norm(c-r)/norm(r). ~: upper edge of a histogram bin.");
  if (report.truth) {
    page.wrapped("",
                 "to truth: candidate's nrmse against the truth over the reference's; below 1 the "
                 "candidate is closer.");
  }
  if (report.attribution) {
    page.wrapped("",
                 "introduced: nrmse when everything before the layer is the reference's, so what "
                 "the layer adds itself.");
  }
}

void add_totals(Page& page, const Report& report) {
  const Totals& totals = report.totals;
  page.blank();
  std::string text =
      fmt::format("{} in {}: {} passed, {} suspect, {} failed; {} elements, {:.1f} MB in {:.2f} s",
                  plural(totals.taps, "tap"), plural(report.cases.size(), "case"), totals.passed,
                  totals.warned, totals.failed, totals.elements,
                  static_cast<double>(totals.bytes) / 1e6, report.timing.total_s);
  page.wrapped("total   ", text);
  if (!report.repro.empty()) page.command("repro   ", report.repro);
}

void add_verdict(Page& page, const Report& report) {
  if (report.first_divergence) {
    page.wrapped("first divergence ",
                 fmt::format("→ {} in case {}", tap_name(report.first_divergence->tap),
                             report.first_divergence->case_name));
  }
  const bool passed = report.result == Result::pass;
  std::string text = fmt::format("{}, exit code {}", passed ? "PASS" : "FAIL", report.exit_code);
  for (std::size_t i = 0; i < report.reasons.size(); ++i)
    text += (i == 0 ? ": " : "; ") + report.reasons[i];
  if (report.reasons.empty() && passed) text += ": every tap is identical";
  page.wrapped("verdict ", text, passed ? Tone::good : Tone::bad);
}

}  // namespace

std::string to_table(const Report& report, const TableOptions& options) {
  Page page(options);
  add_header(page, report);
  add_environment(page, report, options.show);
  const Layout layout = layout_of(report, options);
  for (const Case& item : report.cases) add_case(page, report, item, layout, options);
  if (report.cases.empty()) page.wrapped("", "no case was compared", Tone::bad);
  add_legend(page, report, layout, options.show);
  add_attribution(page, report);
  add_bounds(page, report);
  add_case_list(page, report);
  add_totals(page, report);
  add_verdict(page, report);
  return page.text();
}

}  // namespace parity::report
