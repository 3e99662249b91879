#include "pipeline/calibrate/calibration_summary.h"

#include <utility>

namespace parity::pipeline {
namespace {

report::CalibratedBound bound_of(const gate::Bound& bound, const gate::BoundEvidence& evidence,
                                 const gate::CalibrationInput& input) {
  report::CalibratedBound shown;
  shown.metric = bound.metric;
  shown.measured = evidence.measured;
  shown.warn = bound.warn;
  shown.fail = bound.fail;
  shown.is_wider = evidence.is_wider;
  shown.remark = evidence.remark;
  if (evidence.worst != nullptr) {
    const gate::VariedRun& run = input.runs[evidence.worst->run];
    shown.variation = gate::name(run.variation);
    shown.run = run.label;
    shown.case_name = evidence.worst->case_name;
    shown.tap = run::to_string(evidence.worst->tap);
  }
  for (const gate::VariationFigure& figure : evidence.variations)
    shown.variations.emplace_back(gate::name(figure.variation), figure.worst);
  if (evidence.built_in) shown.built_in = {evidence.built_in->warn, evidence.built_in->fail};
  return shown;
}

std::vector<report::CalibratedRule> rules_of(const std::vector<gate::Rule>& rules,
                                             const std::vector<gate::RuleEvidence>& evidence,
                                             const gate::CalibrationInput& input) {
  std::vector<report::CalibratedRule> shown;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const gate::Rule& rule = rules[i];
    report::CalibratedRule one;
    for (const run::Glob& glob : rule.selector.layers) one.layers.push_back(glob.text());
    if (!rule.selector.kinds.empty()) one.kind = run::name(rule.selector.kinds.front());
    if (!rule.selector.dtypes.empty()) one.dtype = tensor::name(rule.selector.dtypes.front());
    one.taps = evidence[i].taps;
    one.runs = evidence[i].runs;
    one.headroom = evidence[i].headroom;
    one.truth_factor = rule.truth_factor;
    for (std::size_t b = 0; b < rule.bounds.size(); ++b)
      one.bounds.push_back(bound_of(rule.bounds[b], evidence[i].bounds[b], input));
    one.left_out = evidence[i].left_out;
    shown.push_back(std::move(one));
  }
  return shown;
}

std::vector<report::CalibrationPlace> places_of(const std::vector<gate::Untestable>& taps) {
  std::vector<report::CalibrationPlace> places;
  for (const gate::Untestable& tap : taps)
    places.push_back({tap.case_name, run::to_string(tap.tap), tap.why});
  return places;
}

}  // namespace

report::Calibration summary_of(const gate::Calibration& calibration,
                               const gate::CalibrationInput& input) {
  report::Calibration summary;
  summary.policy = calibration.book.name;
  for (const gate::VariedRun& run : input.runs)
    summary.runs.push_back({std::string(gate::name(run.variation)), run.label, run.made_on});
  summary.rules = rules_of(calibration.book.taps, calibration.taps, input);
  summary.logits = rules_of(calibration.book.logits, calibration.logits, input);
  summary.untestable = places_of(calibration.untestable);
  summary.beyond = places_of(calibration.beyond);
  return summary;
}

}  // namespace parity::pipeline
