#include "pipeline/calibrate/calibration_spreads.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "gate/calibration_limits.h"
#include "gate/metrics.h"
#include "gate/pair_classes.h"

namespace parity::pipeline {
namespace {

/// Two runs with independent errors of one size are this many times that size apart.
const double kApart = std::sqrt(2.0);

tensor::DType dtype_of(const report::Tap& tap) {
  const std::string& name = tap.bounds_dtype.empty() ? tap.dtype : tap.bounds_dtype;
  return tensor::dtype_from_name(name).value();
}

gate::Spread spread_of(const report::Case& one, const report::Tap& tap, std::size_t run) {
  gate::Spread spread;
  spread.run = run;
  spread.case_name = one.name;
  spread.tap = tap.id;
  spread.dtype = dtype_of(tap);
  spread.elements = tap.elements;
  return spread;
}

/// The least factor f with which candidate <= f reference + u, see gate::TruthRule.
double needed_ratio(double candidate, double reference, tensor::DType dtype) {
  const double beyond = candidate - tensor::unit_roundoff(tensor::component(dtype));
  return beyond > 0 ? beyond / reference : 0.0;
}

/// In both figures.
double needed_factor(const report::TapTruth& truth, tensor::DType dtype) {
  return std::max(
      needed_ratio(truth.candidate_nrmse, truth.reference_nrmse, dtype),
      needed_ratio(truth.candidate_max_error_over_rms, truth.reference_max_error_over_rms, dtype));
}

/// What the forced pass and the truth say of the tap, where there was one.
void add_late_figures(const report::Tap& tap, gate::Spread& spread) {
  if (tensor::is_integral(spread.dtype)) return;
  if (tap.introduced) {
    for (const std::string_view name : {"nrmse", "max_error_over_rms"}) {
      spread.late.push_back({std::string(gate::kIntroducedPrefix) + std::string(name),
                             gate::find_tensor_metric(name)->value(*tap.introduced)});
    }
  }
  if (tap.truth) {
    spread.late.push_back({std::string(gate::kTruthRatio),
                           needed_ratio(tap.truth->candidate_nrmse, tap.truth->reference_nrmse,
                                        tap.facts->ulp.dtype)});
  }
}

void add_figures(const compare::TensorComparison& facts, gate::Spread& spread) {
  for (const std::string_view name : gate::calibrated_metrics(spread.dtype)) {
    const double value = gate::find_tensor_metric(name)->value(facts);
    spread.figures.push_back({std::string(name), value});
    // A tensor that is zero on one side alone has no other error than infinity.
    if (!std::isfinite(value)) spread.unboundable = fmt::format("{} is {}", name, value);
  }
}

/// False for a tap that the run has nothing to say about.
bool measure(const report::Tap& tap, gate::Spread& spread) {
  if (tap.outcome == report::Outcome::digest_equal) return true;
  if (tap.outcome == report::Outcome::digest_differs) {
    spread.unboundable = "only digests are stored, and they differ";
  } else if (tap.outcome == report::Outcome::shape_differs) {
    spread.unboundable = "the shapes differ";
  } else if (!tap.facts) {
    return false;
  } else {
    // Which fails under every policy.
    if (gate::one_sided(tap.facts->classes) > 0)
      spread.unboundable = "NaN or Inf on one side only, or Inf of opposite sign";
    if (!gate::is_identical(*tap.facts)) add_figures(*tap.facts, spread);
    add_late_figures(tap, spread);
    if (tap.truth) spread.truth_factor = needed_factor(*tap.truth, tap.facts->ulp.dtype);
  }
  return true;
}

const report::Tap* find_tap(const report::Case& one, const run::TapId& id) {
  const auto found = std::find_if(one.taps.begin(), one.taps.end(),
                                  [&](const report::Tap& tap) { return tap.id == id; });
  return found == one.taps.end() ? nullptr : &*found;
}

bool has_logits(const report::Case& one, const run::TapId& id) {
  return std::any_of(one.logits.begin(), one.logits.end(),
                     [&](const report::Logits& logits) { return logits.id == id; });
}

enum class Part : std::uint8_t { all, each, averages };

std::vector<std::string_view> logits_metrics(Part part) {
  std::vector<std::string_view> names;
  for (const std::string_view name : gate::calibrated_logits_metrics()) {
    const gate::LogitsMetric& metric = *gate::find_logits_metric(name);
    if (part == Part::all || (part == Part::each) == (metric.extent == gate::MetricExtent::each))
      names.push_back(name);
  }
  return names;
}

void add_logits(const report::Case& one, const report::Tap& output,
                const compare::LogitsComparison& facts, Part part, std::size_t run,
                gate::CalibrationInput& input) {
  gate::Spread spread = spread_of(one, output, run);
  spread.elements = facts.positions;
  const bool same = output.facts && gate::is_identical(*output.facts);
  if (!same) {
    for (const std::string_view name : logits_metrics(part))
      spread.figures.push_back({std::string(name), gate::find_logits_metric(name)->value(facts)});
  }
  input.logits.push_back(std::move(spread));
}

void add_case_logits(const report::Case& one, std::size_t run, gate::CalibrationInput& input) {
  for (const report::Logits& logits : one.logits) {
    const report::Tap* output = find_tap(one, logits.id);
    if (output == nullptr) continue;
    const Part part = one.decode && run::is_decode_step(logits.id) ? Part::each : Part::all;
    add_logits(one, *output, logits.facts, part, run, input);
  }
  if (!one.decode) return;
  const report::Tap* first = find_tap(one, one.decode->id);
  if (first != nullptr && one.decode->logits.positions > 0)
    add_logits(one, *first, one.decode->logits, Part::averages, run, input);
}

/// Of the noise, what a calibration bounds; the golden has every metric.
template <typename Names>
std::vector<run::NoiseFigure> bounded(const std::vector<run::NoiseFigure>& figures,
                                      const Names& names) {
  std::vector<run::NoiseFigure> kept;
  for (const std::string_view name : names) {
    for (const run::NoiseFigure& figure : figures) {
      if (figure.metric == name) kept.push_back(figure);
    }
  }
  return kept;
}

bool is_known(double error) { return std::isfinite(error) && error > 0; }

}  // namespace

std::vector<std::string> add_spreads(const report::Report& report, std::size_t run,
                                     gate::CalibrationInput& input) {
  std::size_t lost = 0;
  std::string first;
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      gate::Spread spread = spread_of(one, tap, run);
      if (measure(tap, spread)) {
        input.taps.push_back(std::move(spread));
      } else if (lost++ == 0) {
        first = fmt::format("{} of case {} ({})", run::to_string(tap.id), one.name,
                            report::name(tap.outcome));
      }
    }
    add_case_logits(one, run, input);
  }
  if (lost == 0) return {};
  return {fmt::format("{}: {} {} not compared, the first {}", input.runs[run].label, lost,
                      lost == 1 ? "tap was" : "taps were", first)};
}

void add_own_noise(const report::Report& report, std::size_t repeat,
                   gate::CalibrationInput& input) {
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      if (!tap.noise) continue;
      gate::Spread spread = spread_of(one, tap, repeat);
      spread.repeats = std::max<std::int64_t>(1, tap.noise->differing);
      if (has_logits(one, tap.id)) {
        gate::Spread of_logits = spread;
        const bool is_step = one.decode && run::is_decode_step(tap.id);
        of_logits.figures =
            bounded(tap.noise->figures, logits_metrics(is_step ? Part::each : Part::all));
        input.logits.push_back(std::move(of_logits));
      }
      spread.figures = bounded(tap.noise->figures, gate::calibrated_metrics(spread.dtype));
      if (tap.noise->differing > 0 && tap.noise->figures.empty())
        spread.unboundable = "runs of the reference itself differ, and only digests are stored";
      input.taps.push_back(std::move(spread));
    }
  }
}

void add_own_truth(const report::Report& report, std::size_t truth, gate::CalibrationInput& input) {
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      if (!tap.truth) continue;
      gate::Spread spread = spread_of(one, tap, truth);
      const double nrmse = kApart * tap.truth->reference_nrmse;
      const double largest = kApart * tap.truth->reference_max_error_over_rms;
      if (!is_known(nrmse) || !is_known(largest)) continue;
      spread.figures = {{"nrmse", nrmse}, {"max_error_over_rms", largest}};
      if (tap.facts) add_late_figures(tap, spread);
      const std::optional<double>& own = tap.truth->reference_introduced_nrmse;
      if (own && is_known(*own)) spread.late.push_back({"introduced.nrmse", kApart * *own});
      input.taps.push_back(std::move(spread));
    }
    for (const report::Logits& logits : one.logits) {
      const report::Tap* output = find_tap(one, logits.id);
      if (output == nullptr || !logits.truth) continue;
      gate::Spread spread = spread_of(one, *output, truth);
      spread.elements = logits.facts.positions;
      // A divergence grows with the square of the errors.
      const compare::RowFigure& kl = logits.truth->reference_kl;
      const double square = kApart * kApart;
      if (!is_known(kl.mean) || !is_known(kl.max)) continue;
      spread.figures = {{"kl.mean", square * kl.mean}, {"kl.max", square * kl.max}};
      if (one.decode && run::is_decode_step(logits.id))
        spread.figures.erase(spread.figures.begin());
      input.logits.push_back(std::move(spread));
    }
  }
}

}  // namespace parity::pipeline
