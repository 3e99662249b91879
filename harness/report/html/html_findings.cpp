#include "report/html/html_findings.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "report/html/html_layer.h"
#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/user_effect.h"

namespace parity::report {
namespace {

constexpr std::size_t kNamedSwitches = 4;
constexpr int kLongestValue = 80;
constexpr int kLongestReasons = 1000;

void begin(Markup& page, std::string_view question) { page.open("li").element("h2", question); }

/// As the other formats have it behind a colon, here by itself.
std::string sentence_of(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

/// The model's output as a tensor that fails while its logits do not.
const Tap* output_that_fails_alone(const Report& report) {
  for (const Case& item : report.cases) {
    for (const Logits& logits : item.logits) {
      const auto tap = std::find_if(item.taps.begin(), item.taps.end(), [&](const Tap& one) {
        return one.id == logits.id && is_failure(one.verdict);
      });
      if (tap != item.taps.end() && !is_failure(logits.verdict)) return &*tap;
    }
  }
  return nullptr;
}

/// What the policy says of the logits, and how that and the gate can differ.
void add_judgement(Markup& page, const Report& report, const TokenEffect& all) {
  if (all.failed > 0) {
    page.element("p", all.failure.empty() ? "The logits failed."
                                          : fmt::format("The logits failed: {}.", all.failure));
  } else if (!all.warning.empty()) {
    page.element("p", fmt::format("The logits are suspect, which only warns: {}.", all.warning));
  }
  if (report.result == Result::fail && all.failed == 0) {
    page.element("p",
                 "The gate failed all the same, and both can be true: it holds every layer against "
                 "bounds of its own, and a layer can be wrong without changing a token of these "
                 "inputs.");
  }
  if (const Tap* tap = output_that_fails_alone(report)) {
    page.open("p").name(tap_name(tap->id));
    page.text(
        fmt::format(" is {} among the layers, where it is judged as numbers; its logits are "
                    "judged on their own, by what they say of tokens.",
                    run::name(tap->verdict)));
    page.close();
  }
}

void add_users(Markup& page, const Report& report) {
  begin(page, "Would a user of the model notice?");
  const TokenEffect all = token_effect(report);
  if (all.outputs == 0) {
    page.element("p", effect_without_logits(report));
  } else {
    page.element("p", answer_of(all));
    page.element(
        "p",
        fmt::format("The distribution over tokens moved by KL {} nat on average over positions "
                    "{}and {} nat at the worst position; 0 is the same distribution.",
                    short_number(all.kl_mean),
                    all.outputs > 1 ? "(of the output that moved most) " : "",
                    short_number(all.kl_max)));
    add_judgement(page, report, all);
  }
  if (all.non_finite > 0 && all.failed == 0) {
    page.element("p", fmt::format("{} with NaN or infinity, on both sides alike, in no figure.",
                                  plural(all.non_finite, "position")));
  }
  for (const Case& item : report.cases) {
    if (!item.decode || !item.decode->first_divergent) continue;
    const DivergentToken& token = *item.decode->first_divergent;
    page.open("p").text("Decoding case ").element("code", item.name);
    page.text(fmt::format(": {} of {} agree; the first that does not is token {} of row {} ({}).",
                          item.decode->agree, plural(item.decode->compared, "token"), token.token,
                          token.row, token.decided ? "decided" : "a close call"));
    page.close();
  }
  page.close();
}

void add_switches(Markup& page, const Report& report,
                  const std::vector<run::Difference>& differences, std::size_t switches) {
  page.element(
      "p", fmt::format("No: {} different.{}",
                       switches == 1 ? "1 switch that changes numbers is"
                                     : fmt::format("{} switches that change numbers are", switches),
                       report.result == Result::fail && has_decisive_switch(report)
                           ? " Make them the same before looking at any layer:"
                           : ""));
  const auto value = [](const std::string& text) {
    return keep_head(clean(absent_or(text)), kLongestValue);
  };
  page.open("ul");
  for (std::size_t i = 0; i < std::min(kNamedSwitches, switches); ++i) {
    page.open("li").element("code", keep_head(clean(differences[i].key), kLongestValue));
    page.text(fmt::format(": {} in the reference, {} in the candidate",
                          value(differences[i].reference), value(differences[i].candidate)));
    page.close();
  }
  page.close();
  if (switches > kNamedSwitches)
    page.element("p", fmt::format("and {} more, below.", switches - kNamedSwitches));
}

void add_environment_finding(Markup& page, const Report& report) {
  begin(page, "Did both sides run with the same settings?");
  const std::vector<run::Difference> differences = switches_first(report);
  const auto switches = static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(),
                    [&](const run::Difference& each) { return changes_numbers(report, each); }));
  if (differences.empty()) {
    page.element("p", "Yes: no recorded fact about device, libraries or settings differs.");
  } else if (switches == 0) {
    page.element("p", fmt::format("Yes: all switches that change numbers are the same. {} about "
                                  "devices, libraries or hosts {}.",
                                  plural(differences.size(), "fact"),
                                  differences.size() == 1 ? "differs" : "differ"));
  } else {
    add_switches(page, report, differences, switches);
  }
  page.close();
}

/// What is noted of the weights; nothing where they are the same.
void add_model_finding(Markup& page, const Report& report) {
  const auto is_of_weights = [](const std::string& note) {
    return note.find("weights") != std::string::npos;
  };
  if (std::none_of(report.notes.begin(), report.notes.end(), is_of_weights)) return;
  begin(page, "Did both sides run the same model?");
  for (const std::string& note : report.notes) {
    if (is_of_weights(note)) {
      page.open("p").sentence(keep_head(clean(sentence_of(note)), kLongestReasons));
      page.close();
    }
  }
  page.close();
}

void add_layer(Markup& page, const Report& report, const PageNames& names) {
  begin(page, "Which layer is it, and how far off?");
  add_layer_explanation(page, report, names);
  page.close();
}

void add_summaries(Markup& page, const Report& report, const PageNames& names) {
  if (report.truth) {
    const TruthSummary& truth = *report.truth;
    begin(page, "Which side is nearer to the truth?");
    page.element("p",
                 truth.sentence.empty()
                     ? fmt::format("Neither: against the {} truth both are about equally wrong.",
                                   truth.dtype)
                     : sentence_of(truth.sentence));
    page.close();
  }
  if (report.noise) {
    begin(page, "Does the reference repeat itself?");
    page.element("p", report.noise->sentence.empty()
                          ? "Yes: every repeated run of the reference had the same bits."
                          : sentence_of(report.noise->sentence));
    if (report.noise->first) {
      page.open("p").text("The first that does not: ");
      add_tap_link(page, report, names, *report.noise->first);
      page.close();
    }
    page.close();
  }
}

/// Whether each case goes wrong at that tap: it is blamed there, or the first that does not pass.
bool is_in_every_case(const Report& report, const Place& place) {
  const auto is_blamed = [&](const Case& item) {
    if (!report.attribution) return false;
    const std::vector<Blame>& blame = report.attribution->blame;
    return std::any_of(blame.begin(), blame.end(), [&](const Blame& one) {
      return one.case_name == item.name && one.tap == place.tap;
    });
  };
  return std::all_of(report.cases.begin(), report.cases.end(), [&](const Case& item) {
    const auto first = std::find_if(item.taps.begin(), item.taps.end(),
                                    [](const Tap& tap) { return !is_fine(tap.verdict); });
    return is_blamed(item) || (first != item.taps.end() && first->id == place.tap);
  });
}

}  // namespace

void add_tap_link(Markup& page, const Report& report, const PageNames& names, const Place& place) {
  const auto found = find_tap(report, place);
  if (!found) {
    page.name(tap_name(place.tap));
    return;
  }
  page.open("a", {{"href", names.link(*found)}, {"class", "tap"}});
  page.name(names.of_tap(*found)).close();
  if (report.cases.size() < 2) return;
  if (!is_in_every_case(report, place)) {
    page.text(" (case " + names.of_case(found->item) + ")");
  } else {
    page.text(report.cases.size() == 2 ? std::string(" (in both cases)")
                                       : fmt::format(" (in all {} cases)", report.cases.size()));
  }
}

void add_headline(Markup& page, const Report& report, const PageNames& names) {
  const bool passed = report.result == Result::pass;
  page.open("h1");
  page.element("span", passed ? "PASS" : "FAIL", {{"class", passed ? "badge good" : "badge bad"}});
  page.text(" ");
  add_layer_sentence(page, report, names);
  page.close();
  if (!passed && has_decisive_switch(report)) {
    page.element("p",
                 "But first make the settings of both sides the same: a switch that changes "
                 "numbers differs, and may explain all of it.",
                 {{"class", "first warning"}});
  }
  if (const std::string text = self_comparison_text(report); !text.empty())
    page.element("p", "Self-comparison: " + text + ".", {{"class", "first warning"}});
  const std::string reasons =
      report.reasons.empty() && passed ? "every tap is identical" : joined(report.reasons);
  page.element("p", fmt::format("Exit code {}{}{}.", report.exit_code, reasons.empty() ? "" : ": ",
                                keep_head(clean(reasons), kLongestReasons)));
  const Totals& totals = report.totals;
  page.open("p", {{"class", "quiet"}});
  page.text(report.model_file.empty() ? "A model" : "A model recorded from ");
  if (!report.model_file.empty()) page.element("code", report.model_file);
  page.text(fmt::format(": reference {}, candidate {}. {} in {}: {} passed, {} suspect, {} failed.",
                        device_text(report.reference), device_text(report.candidate),
                        plural(totals.taps, "tap"), plural(report.cases.size(), "case"),
                        totals.passed, totals.warned, totals.failed));
  page.close();
}

void add_findings(Markup& page, const Report& report, const PageNames& names) {
  page.open("ol", {{"class", "findings"}});
  const bool environment_first = report.result == Result::fail && has_decisive_switch(report);
  if (environment_first) add_environment_finding(page, report);
  if (environment_first) add_model_finding(page, report);
  add_layer(page, report, names);
  add_users(page, report);
  if (!environment_first) add_model_finding(page, report);
  if (!environment_first) add_environment_finding(page, report);
  add_summaries(page, report, names);
  page.close();
}

}  // namespace parity::report
