#include "gate/calibration_remarks.h"

#include <cmath>

#include <fmt/format.h>

#include "gate/calibration_evidence.h"

namespace parity::gate {
namespace {

std::string place_of(const Spread& spread) {
  return fmt::format("{} of case {}", run::to_string(spread.tap), spread.case_name);
}

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::vector<std::string> remarks_on_rule(const Rule& rule, const RuleEvidence& evidence,
                                         const std::string& judged) {
  std::vector<std::string> lines;
  std::string text = fmt::format("{}: {}, {}", rule.id, judged, runs_text(evidence.runs));
  if (evidence.runs > 0) {
    text += fmt::format("; fail {:.3g} times and warn {:.3g} times the worst", evidence.headroom,
                        std::sqrt(evidence.headroom));
  }
  lines.push_back(std::move(text));
  for (const auto& [metric, worst] : evidence.left_out) {
    lines.push_back(fmt::format(
        "no bound on {}, of which {:.2g} was measured: a limit above it would let anything pass",
        metric, worst));
  }
  if (!evidence.not_measured.empty()) {
    lines.push_back(fmt::format("no bound on what no run that differs measured here: {}",
                                fmt::join(evidence.not_measured, ", ")));
  }
  if (evidence.truth_factor) {
    lines.push_back(fmt::format(
        "truth_factor: {:.2g} was needed; with headroom, and never above the built-in one",
        *evidence.truth_factor));
  }
  return lines;
}

std::vector<std::string> remarks_on_bound(const BoundEvidence& evidence,
                                          const CalibrationInput& input) {
  std::vector<std::string> lines;
  if (evidence.worst == nullptr) {
    lines.emplace_back(evidence.variations.empty() ? "not measured" : "the same in every run");
  } else {
    lines.push_back(fmt::format("worst {:.3g}: {}, at {}", evidence.measured,
                                input.runs[evidence.worst->run].label, place_of(*evidence.worst)));
  }
  std::string by;
  for (const VariationFigure& figure : evidence.variations)
    by += fmt::format("{}{} {:.2g}", by.empty() ? "" : ", ", name(figure.variation), figure.worst);
  if (evidence.worst != nullptr && evidence.variations.size() > 1)
    lines.push_back("by variation: " + by);
  std::string built_in = "the built-in policy has no such bound";
  if (evidence.built_in) {
    built_in =
        fmt::format("built in: warn {:.3g}, fail {:.3g}{}", evidence.built_in->warn,
                    evidence.built_in->fail, evidence.is_wider ? "; WIDER THAN BUILT IN" : "");
  }
  lines.push_back(built_in);
  return lines;
}

std::vector<RuleRemarks> remarks_on_rules(const std::vector<Rule>& rules,
                                          const std::vector<RuleEvidence>& evidence,
                                          const CalibrationInput& input, const std::string& what) {
  std::vector<RuleRemarks> all;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto taps = static_cast<std::int64_t>(evidence[i].taps);
    RuleRemarks remarks;
    remarks.rule = remarks_on_rule(rules[i], evidence[i], counted(taps, what, what + "s"));
    for (const BoundEvidence& bound : evidence[i].bounds)
      remarks.bounds.push_back(remarks_on_bound(bound, input));
    all.push_back(std::move(remarks));
  }
  return all;
}

void add_list(const std::vector<Untestable>& taps, const std::string& title,
              std::vector<std::string>& lines) {
  if (taps.empty()) return;
  lines.emplace_back();
  lines.push_back(title);
  for (const Untestable& tap : taps) {
    lines.push_back(
        fmt::format("  {} of case {}: {}", run::to_string(tap.tap), tap.case_name, tap.why));
  }
}

}  // namespace

PolicyRemarks remarks_on(const Calibration& calibration, const CalibrationInput& input,
                         const std::string& command, const std::vector<std::string>& notes) {
  PolicyRemarks remarks;
  std::vector<std::string>& head = remarks.head;
  head = {std::string(kCalibratedPolicy) +
              ": bounds from how far these runs were apart (docs/calibrate.md)",
          "", "  " + command, ""};
  head.push_back("  reference  " + input.reference);
  for (const VariedRun& run : input.runs)
    head.push_back(fmt::format("  {:<9}  {}: {}", name(run.variation), run.label, run.made_on));
  if (!notes.empty()) head.emplace_back();
  for (const std::string& note : notes) head.push_back(note);
  add_list(calibration.untestable,
           "No bound could tell these taps from wrong ones; they fail whatever judges them:", head);
  add_list(calibration.beyond, "Measured beyond the limits, which are the built-in ones:", head);
  head.emplace_back();
  head.emplace_back(
      "A KL grows with the square of errors and has the square of the headroom. The built-in "
      "policy");
  head.emplace_back("judges what no rule here matches.");
  remarks.taps = remarks_on_rules(calibration.book.taps, calibration.taps, input, "tap");
  remarks.logits = remarks_on_rules(calibration.book.logits, calibration.logits, input, "output");
  return remarks;
}

}  // namespace parity::gate
