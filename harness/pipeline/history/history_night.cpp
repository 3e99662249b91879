// A report as the night that the history keeps of it: what is followed over time, no more.
#include <cmath>

#include "pipeline/history/history.h"

namespace parity::pipeline {
namespace {

using history::Metric;

void set_noise(history::PlaceResult& result, const std::optional<run::TapNoise>& noise,
               history::Of of) {
  if (!noise) return;
  for (const run::NoiseFigure& figure : noise->figures) {
    for (const history::MetricFacts& metric : history::all_metrics()) {
      if (metric.of == of && metric.name == figure.metric)
        result.noise.set(metric.metric, figure.value);
    }
  }
}

history::PlaceResult tap_result(const std::string& case_name, const report::Tap& tap) {
  history::PlaceResult result;
  result.place = {case_name, run::to_string(tap.id)};
  result.kind = run::name(tap.id.kind);
  result.dtype = tap.bounds_dtype.empty() ? tap.dtype : tap.bounds_dtype;
  result.verdict = tap.verdict;
  if (tap.facts) {
    result.figures.set(Metric::nrmse, tap.facts->nrmse);
    result.figures.set(Metric::ulp_p99, tap.facts->ulp.quantiles.p99);
    result.figures.set(Metric::max_error_over_rms, tap.facts->max_error_over_rms);
    result.figures.set(Metric::exact_share, tap.facts->exact_share);
  }
  if (tap.introduced) result.figures.set(Metric::introduced_nrmse, tap.introduced->nrmse);
  if (tap.truth) result.figures.set(Metric::truth_ratio, tap.truth->ratio);
  set_noise(result, tap.noise, history::Of::tap);
  return result;
}

history::PlaceResult logits_result(const report::Case& item, const report::Logits& logits) {
  history::PlaceResult result;
  result.place = {item.name, run::to_string(logits.id)};
  result.kind = "logits";
  result.verdict = logits.verdict;
  result.figures.set(Metric::kl_mean, logits.facts.kl.mean);
  result.figures.set(Metric::kl_max, logits.facts.kl.max);
  result.figures.set(Metric::flips, static_cast<double>(logits.facts.flips));
  result.figures.set(Metric::decided_flips, static_cast<double>(logits.facts.decided_flips));
  result.figures.set(Metric::top1_agreement, logits.facts.top1_agreement);
  for (const report::Tap& tap : item.taps) {
    if (tap.id == logits.id) set_noise(result, tap.noise, history::Of::logits);
  }
  return result;
}

/// Of all steps of a decode together: their own logits have one position each.
history::PlaceResult decode_result(const report::Case& item) {
  report::Logits pooled;
  pooled.id = item.decode->id;
  pooled.facts = item.decode->logits;
  pooled.verdict = item.decode->verdict;
  history::PlaceResult result = logits_result(item, pooled);
  result.place.tap = "decoded tokens";
  return result;
}

void add_logits(history::Run& run, const report::Case& item) {
  for (const report::Logits& logits : item.logits) {
    if (item.decode && run::is_decode_step(logits.id)) continue;
    run.logits.push_back(logits_result(item, logits));
  }
  if (item.decode) run.logits.push_back(decode_result(item));
}

}  // namespace

history::Run night_of(const report::Report& report) {
  history::Run run;
  run.state = history::State::judged;
  run.exit_code = report.exit_code;
  run.gate = report.result == report::Result::pass ? history::Gate::passed : history::Gate::failed;
  if (run.gate == history::Gate::failed && !report.reasons.empty())
    run.reason = report.reasons.front();
  run.model = report.model_file;
  run.policy = report.policy_name;
  run.contents = {report.reference.digests.recording, report.reference.digests.inputs,
                  report.reference.digests.weights, report.candidate.digests.weights,
                  report.policy_digest};
  run.reference = report.reference.provenance;
  run.candidate = report.candidate.provenance;
  if (report.first_divergence) {
    run.first_divergence = history::Place{report.first_divergence->case_name,
                                          run::to_string(report.first_divergence->tap)};
  }
  if (report.attribution) {
    for (const report::Blame& blame : report.attribution->blame) {
      run.blame.push_back(
          {{blame.case_name, run::to_string(blame.tap)}, blame.introduced_nrmse, blame.share});
    }
  }
  for (const report::Case& item : report.cases) {
    run.cases.push_back({item.name, item.result == report::Result::pass ? history::Gate::passed
                                                                        : history::Gate::failed});
    for (const report::Tap& tap : item.taps) run.taps.push_back(tap_result(item.name, tap));
    add_logits(run, item);
  }
  run.suspect = static_cast<std::int64_t>(report.totals.warned);
  run.failed = static_cast<std::int64_t>(report.totals.failed);
  run.seconds = report.timing.total_s;
  return run;
}

}  // namespace parity::pipeline
