#include "report/html/html_layer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "report/html/html_findings.h"
#include "report/html/html_where.h"
#include "report/words/case_figures.h"
#include "report/words/numbers.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

const Tap* tap_at(const Report& report, const Place& place) {
  const std::optional<TapPlace> found = find_tap(report, place);
  return found ? &report.cases[found->item].taps[found->tap] : nullptr;
}

const Blame* first_blame(const Report& report) {
  const bool has_blame = report.attribution && !report.attribution->blame.empty();
  return has_blame ? &report.attribution->blame.front() : nullptr;
}

Place place_of(const Blame& blame) { return {blame.case_name, blame.tap}; }

/// ", so it is 12 times too much"; nothing where rounding explains nothing at all.
std::string times_text(double introduced, double explained) {
  const double times = introduced / explained;
  if (!std::isfinite(times)) return "";
  if (times < 10) return fmt::format(", so it is {:.1f} times too much", times);
  const double step = std::pow(10, std::floor(std::log10(times)) - 1);
  return fmt::format(", so it is about {} times too much",
                     short_count(std::round(times / step) * step));
}

/// The nearest tap before it with figures: what the error grew from.
const Tap* measured_before(const Report& report, const TapPlace& place) {
  const std::vector<Tap>& taps = report.cases[place.item].taps;
  for (std::size_t i = place.tap; i > 0; --i) {
    if (taps[i - 1].facts) return &taps[i - 1];
  }
  return nullptr;
}

void add_tap_facts(Markup& page, const compare::TensorComparison& facts) {
  if (facts.where.outside == 0 && facts.hints.empty()) return;
  page.open("ul");
  if (facts.where.outside > 0) page.element("li", "Where: " + html_where_text(facts));
  for (const compare::Hint& hint : facts.hints)
    page.element("li", fmt::format("Pattern ({}): {}", hint.pattern, hint.evidence));
  page.close();
}

void add_blame(Markup& page, const Report& report, const PageNames& names, const Blame& blame) {
  page.open("p").text("It is ");
  add_tap_link(page, report, names, place_of(blame));
  page.text(fmt::format(
      ". Fed with the reference's own inputs, so that nothing is inherited, its output is "
      "still nrmse {} off where rounding explains {}{}. That is {} % of all error that "
      "rounding does not explain.",
      short_number(blame.introduced_nrmse), short_number(blame.explained_nrmse),
      times_text(blame.introduced_nrmse, blame.explained_nrmse), percent(blame.share)));
  page.close();
  if (!blame.operators_sentence.empty()) {
    page.open("p").element("b", blame.culprit ? "Operator: " : "Operators: ");
    page.text(blame.operators_sentence).close();
  }
  const Tap* tap = tap_at(report, place_of(blame));
  if (tap != nullptr && tap->introduced) {
    add_tap_facts(page, *tap->introduced);
  } else if (tap != nullptr && tap->facts) {
    add_tap_facts(page, *tap->facts);
  }
  const auto& first = report.first_divergence;
  if (first && (first->tap != blame.tap || first->case_name != blame.case_name)) {
    page.open("p").text("The first tap outside its bounds, in execution order, is ");
    add_tap_link(page, report, names, *first);
    page.text(".").close();
  }
}

void add_first(Markup& page, const Report& report, const PageNames& names, const Place& first) {
  const Tap* tap = tap_at(report, first);
  if (tap == nullptr) return;
  page.open("p").text("It is ");
  add_tap_link(page, report, names, first);
  page.text(fmt::format(", {}{}.", run::name(tap->verdict),
                        tap->facts ? " with nrmse " + short_number(tap->facts->nrmse) : ""));
  page.close();
  if (!tap->reasons.empty()) page.element("p", "Why it failed: " + tap->reasons.front() + ".");
  const TapPlace place = *find_tap(report, first);
  const Tap* before = measured_before(report, place);
  page.open("p");
  if (before != nullptr && tap->facts) {
    page.text("The tap before it, ");
    add_tap_link(page, report, names, {first.case_name, before->id});
    page.text(fmt::format(", is {} with nrmse {}; here it is {}. ", run::name(before->verdict),
                          short_number(before->facts->nrmse), short_number(tap->facts->nrmse)));
  }
  page.text(
      "What runs behind it inherits its error, so later failures may have no cause of their "
      "own.");
  if (!report.attribution) {
    page.text(" Compare once more with ").element("code", "--attribute");
    page.text(" to see what each layer adds by itself.");
  }
  page.close();
  if (tap->facts) add_tap_facts(page, *tap->facts);
}

void add_passing(Markup& page, const Report& report, const PageNames& names) {
  const std::vector<WorstTap> worst = worst_taps(report, 1);
  if (worst.empty()) {
    page.element("p", report.totals.taps == 0
                          ? "Nothing was compared."
                          : fmt::format("None: of {} every one has the same bits on both sides.",
                                        plural(report.totals.taps, "tap")));
    return;
  }
  const Tap& tap = *worst.front().tap;
  page.open("p").text("The tap that is furthest off is ");
  add_tap_link(page, report, names, {worst.front().item->name, tap.id});
  page.text(fmt::format(": {}{}.", run::name(tap.verdict),
                        tap.facts ? ", nrmse " + short_number(tap.facts->nrmse) : ""));
  page.close();
}

bool has_closer(const Report& report) {
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      if (tap.verdict == run::Verdict::closer) return true;
    }
  }
  return false;
}

void add_passing_sentence(Markup& page, const Report& report, const PageNames& names) {
  if (report.totals.warned > 0) {
    page.text(fmt::format(
        "Nothing failed; {} beyond a warn bound (suspect).",
        report.totals.warned == 1 ? "1 tap is" : fmt::format("{} taps are", report.totals.warned)));
    if (const Blame* blame = first_blame(report)) {
      page.text(" The layer that introduces most itself is ");
      add_tap_link(page, report, names, place_of(*blame));
      page.text(".");
    }
  } else if (worst_taps(report, 1).empty()) {
    page.text("No layer to look at: both sides have the same bits everywhere.");
  } else if (has_closer(report)) {
    page.text(
        "No layer to look at: what is outside its bounds is no further from the truth than the "
        "reference is.");
  } else {
    page.text("No layer to look at: every difference is inside its bounds.");
  }
}

void add_failing_sentence(Markup& page, const Report& report, const PageNames& names) {
  const auto& first = report.first_divergence;
  const Blame* blame = first_blame(report);
  if (blame != nullptr) {
    page.text("Look at ");
    add_tap_link(page, report, names, place_of(*blame));
    page.text(report.attribution->finding == "culprit"
                  ? " first: it makes the difference itself."
                  : fmt::format(" first: of {} that introduce more than rounding explains, it "
                                "introduces most.",
                                plural(report.attribution->blame.size(), "layer")));
  } else if (first) {
    page.text("Look at ");
    add_tap_link(page, report, names, *first);
    page.text(report.attribution
                  ? " first: the differences begin to leave their bounds there, though no layer "
                    "introduces more than rounding explains."
                  : " first: in execution order it is the first outside its bounds.");
  } else if (report.totals.taps == 0) {
    page.text("Nothing was compared, so nothing is known.");
  } else {
    page.text("No layer diverged; the gate failed for another reason, which stands below.");
  }
}

}  // namespace

void add_layer_sentence(Markup& page, const Report& report, const PageNames& names) {
  if (report.result == Result::pass) {
    add_passing_sentence(page, report, names);
  } else {
    add_failing_sentence(page, report, names);
  }
}

void add_layer_explanation(Markup& page, const Report& report, const PageNames& names) {
  const Blame* blame = first_blame(report);
  if (blame != nullptr) {
    add_blame(page, report, names, *blame);
  } else if (report.first_divergence) {
    add_first(page, report, names, *report.first_divergence);
  } else {
    add_passing(page, report, names);
  }
  // Of one culprit everything is said above.
  const bool is_said = blame != nullptr && report.attribution->finding == "culprit";
  if (report.attribution && !is_said)
    page.element("p", "Attribution: " + report.attribution->sentence);
}

}  // namespace parity::report
