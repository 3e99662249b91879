#include "gate/calibration_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gate/calibration_limits.h"

namespace parity::gate {
namespace {

Direction direction_of(std::string_view metric) {
  if (const TensorMetric* of_taps = find_tensor_metric(metric)) return of_taps->direction;
  if (const LogitsMetric* of_logits = find_logits_metric(metric)) return of_logits->direction;
  return Direction::higher_is_worse;
}

double best(Direction direction) { return direction == Direction::higher_is_worse ? 0 : 1; }

/// Whether runs that differ are known by other metrics than this one alone: then those that do not
/// differ say nothing of it.
bool is_unmeasured(std::string_view metric, const Spreads& spreads) {
  bool any_differs = false;
  for (const Spread* spread : spreads) {
    if (!differs(*spread)) continue;
    any_differs = true;
    if (figure_of(*spread, metric, direction_of(metric))) return false;
  }
  return any_differs;
}

double worst_nrmse(const Spreads& spreads, std::string_view that_measured) {
  double worst = 0;
  for (const Spread* spread : spreads) {
    if (!differs(*spread) || !figure_of(*spread, that_measured, Direction::higher_is_worse))
      continue;
    const std::optional<double> nrmse = figure_of(*spread, "nrmse", Direction::higher_is_worse);
    if (nrmse && std::isfinite(*nrmse)) worst = std::max(worst, *nrmse);
  }
  return worst;
}

/// A truth says how far off another backend may be in nrmse and not in ulp: where that is further
/// than the runs that were measured in ulp, those are so much further off too.
double unseen_share(std::string_view metric, const Spreads& spreads) {
  if (metric.substr(0, 4) != "ulp.") return 1;
  const double seen = worst_nrmse(spreads, metric);
  const double all = worst_nrmse(spreads, "nrmse");
  return seen > 0 ? std::max(1.0, all / seen) : 1;
}

/// The worst of one metric, overall and by variation.
BoundEvidence evidence_for(std::string_view metric, const Spreads& spreads,
                           const CalibrationInput& input, Measured& measured) {
  const Direction direction = direction_of(metric);
  BoundEvidence evidence;
  measured.worst = best(direction);
  std::map<Variation, double> variations;
  const bool of_logits = find_logits_metric(metric) != nullptr;
  std::uint64_t least = 0;
  for (const Spread* spread : spreads) {
    const std::optional<double> figure = figure_of(*spread, metric, direction);
    if (!figure) continue;
    measured.known = true;
    // Steps of a decode have one position each, and those that are equal say nothing of a share.
    if (differs(*spread) || !of_logits)
      least = least == 0 ? spread->elements : std::min(least, spread->elements);
    const auto [entry, is_new] = variations.emplace(input.runs[spread->run].variation, *figure);
    if (!is_new) entry->second = worse_of(entry->second, *figure, direction);
    if (!is_beyond(*figure, measured.worst, direction)) continue;
    measured.worst = *figure;
    evidence.worst = spread;
  }
  measured.elements = std::max<std::uint64_t>(1, least);
  if (!is_late(metric) && is_unmeasured(metric, spreads)) measured.known = false;
  evidence.measured = measured.worst;
  for (const auto& [variation, worst] : variations)
    evidence.variations.push_back({variation, worst});
  return evidence;
}

/// Keeps a limit inside the built-in one where that was asked for, and says where it is wider.
void hold_against_built_in(const CalibrationChoice& choice, Direction direction, Bound& bound,
                           BoundEvidence& evidence) {
  if (!evidence.built_in) return;
  const Bound& built_in = *evidence.built_in;
  const auto wider = [&](double limit, double other) {
    return limit != other && is_beyond(limit, other, direction);
  };
  if (choice.width == Width::built_in_at_most) {
    const bool clipped = wider(bound.fail, built_in.fail) || wider(bound.warn, built_in.warn);
    if (wider(bound.fail, built_in.fail)) bound.fail = built_in.fail;
    if (wider(bound.warn, built_in.warn)) bound.warn = built_in.warn;
    if (wider(bound.warn, bound.fail)) bound.warn = bound.fail;
    if (clipped) evidence.remark = "the built-in limit";
  }
  evidence.is_wider = wider(bound.fail, built_in.fail) || wider(bound.warn, built_in.warn);
}

std::string origin_of(const RuleEvidence& rule, const BoundEvidence& evidence,
                      const CalibrationInput& input) {
  if (evidence.worst == nullptr) {
    const std::string text = "the same in every run";
    return evidence.remark.empty() ? text : text + "; " + evidence.remark;
  }
  std::string text = fmt::format("the worst of {}: {:.2g} ({})", runs_text(rule.runs),
                                 evidence.measured, input.runs[evidence.worst->run].label);
  text += evidence.remark.empty() ? fmt::format("; headroom {:.2g}", rule.headroom)
                                  : "; " + evidence.remark;
  return text;
}

/// Runs of one case that differ from the reference somewhere in `spreads`, each once: two runs with
/// the same figures at every tap are one.
std::int64_t count_runs(const Spreads& spreads) {
  struct OneRun {
    std::vector<std::pair<run::TapId, std::vector<double>>> figures;
    std::int64_t repeats = 0;
  };
  std::map<std::pair<std::size_t, std::string>, OneRun> runs;
  for (const Spread* spread : spreads) {
    if (!differs(*spread)) continue;
    OneRun& one = runs[{spread->run, spread->case_name}];
    std::vector<double> values;
    // No order has a place for NaN.
    for (const run::NoiseFigure& figure : spread->figures)
      values.push_back(std::isnan(figure.value) ? -1 : figure.value);
    one.figures.emplace_back(spread->tap, std::move(values));
    one.repeats = std::max(one.repeats, spread->repeats);
  }
  std::int64_t count = 0;
  std::set<std::vector<std::pair<run::TapId, std::vector<double>>>> seen;
  for (auto& [key, one] : runs) {
    if (seen.insert(std::move(one.figures)).second) count += one.repeats;
  }
  return count;
}

template <typename LimitOf, typename BuiltIn>
Evidenced bound_all(const std::vector<std::string_view>& metrics, const Spreads& spreads,
                    const CalibrationInput& input, const CalibrationChoice& choice,
                    const LimitOf& limit_of, const BuiltIn& built_in) {
  Evidenced result;
  RuleEvidence& rule = result.evidence;
  rule.runs = count_runs(spreads);
  rule.headroom = choice.headroom.value_or(default_headroom(rule.runs));
  std::set<run::TapId> taps;
  for (const Spread* spread : spreads) taps.insert(spread->tap);
  rule.taps = taps.size();
  for (const std::string_view metric : metrics) {
    Measured measured;
    const double unseen = unseen_share(metric, spreads);
    measured.headroom = rule.headroom * unseen;
    BoundEvidence evidence = evidence_for(metric, spreads, input, measured);
    const std::optional<Limit> limit = limit_of(metric, measured);
    if (!limit && measured.known) rule.left_out.emplace_back(metric, measured.worst);
    if (!limit && !measured.known) rule.not_measured.emplace_back(metric);
    if (!limit) continue;
    evidence.built_in = built_in(metric);
    evidence.remark = limit->remark;
    if (evidence.remark.empty() && unseen > 1) {
      evidence.remark = fmt::format(
          "headroom {:.2g} times {:.2g}, by which the truth's nrmse is beyond that of the runs "
          "that "
          "were measured in ulp",
          rule.headroom, unseen);
    }
    Bound bound{std::string(metric), limit->warn, limit->fail, ""};
    if (is_late(metric)) bound.presence = Presence::optional;
    hold_against_built_in(choice, direction_of(metric), bound, evidence);
    bound.origin = origin_of(rule, evidence, input);
    result.rule.bounds.push_back(std::move(bound));
    rule.bounds.push_back(std::move(evidence));
  }
  return result;
}

/// The factor that lets what was measured pass with room, never more than the built-in one: a tap
/// inside its bounds needs none.
void add_truth_factor(const Spreads& spreads, double built_in, Evidenced& result) {
  std::optional<double> needed;
  for (const Spread* spread : spreads) {
    if (spread->truth_factor) needed = std::max(needed.value_or(0), *spread->truth_factor);
  }
  if (!needed) return;
  result.evidence.truth_factor = needed;
  constexpr double kTenths = 10;
  const double with_room = std::sqrt(result.evidence.headroom) * *needed;
  result.rule.truth_factor =
      std::isfinite(with_room) ? std::clamp(std::ceil(with_room * kTenths) / kTenths, 1.0, built_in)
                               : built_in;
}

tensor::DType coarsest(const Spreads& spreads) {
  tensor::DType dtype = spreads.front()->dtype;
  for (const Spread* spread : spreads) {
    if (tensor::unit_roundoff(spread->dtype) > tensor::unit_roundoff(dtype)) dtype = spread->dtype;
  }
  return dtype;
}

template <typename LimitOf>
std::string untestable_metric(const Spread& spread, const std::vector<std::string_view>& metrics,
                              const LimitOf& limit_of) {
  if (!spread.unboundable.empty()) return spread.unboundable;
  for (const std::string_view metric : metrics) {
    Measured measured;
    const std::optional<double> figure = figure_of(spread, metric, direction_of(metric));
    if (!figure) continue;
    measured.worst = *figure;
    measured.known = true;
    measured.elements = spread.elements;
    if (!limit_of(metric, measured)) return fmt::format("{} is {:.2g}", metric, *figure);
  }
  return {};
}

}  // namespace

std::optional<double> figure_of(const Spread& spread, std::string_view metric,
                                Direction direction) {
  const std::vector<run::NoiseFigure>& figures = is_late(metric) ? spread.late : spread.figures;
  if (figures.empty() && !is_late(metric)) return best(direction);
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const auto& figure) { return figure.metric == metric; });
  if (found == figures.end()) return std::nullopt;
  return found->value;
}

std::string runs_text(std::int64_t count) {
  return fmt::format("{} {} of a case that {}", count, count == 1 ? "run" : "runs",
                     count == 1 ? "differs" : "differ");
}

bool differs(const Spread& spread) { return !spread.figures.empty(); }

Evidenced bound_taps(const Spreads& spreads, const CalibrationInput& input,
                     const CalibrationChoice& choice) {
  const tensor::DType dtype = spreads.front()->dtype;
  std::vector<std::string_view> metrics = calibrated_metrics(dtype);
  for (const std::string_view metric : late_metrics(dtype)) metrics.push_back(metric);
  Evidenced result = bound_all(
      metrics, spreads, input, choice,
      [&](std::string_view metric, const Measured& measured) {
        return tap_limit(metric, dtype, measured);
      },
      [&](std::string_view metric) { return built_in_bound(metric, dtype); });
  add_truth_factor(spreads, default_policy().for_dtype(dtype).truth_factor, result);
  return result;
}

Evidenced bound_logits(const Spreads& spreads, const CalibrationInput& input,
                       const CalibrationChoice& choice) {
  const tensor::DType dtype = coarsest(spreads);
  return bound_all(
      calibrated_logits_metrics(), spreads, input, choice,
      [&](std::string_view metric, const Measured& measured) {
        return logits_limit(metric, dtype, measured);
      },
      built_in_logits_bound);
}

std::string why_untestable(const Spread& spread) {
  // The other metrics are left out of a rule where they say nothing.
  const bool exact = tensor::is_integral(spread.dtype);
  return untestable_metric(spread, {exact ? "unequal" : "nrmse"},
                           [&](std::string_view metric, const Measured& measured) {
                             return tap_limit(metric, spread.dtype, measured);
                           });
}

std::string why_untestable_logits(const Spread& spread) {
  return untestable_metric(spread, {"kl.mean", "kl.max"},
                           [&](std::string_view metric, const Measured& measured) {
                             return logits_limit(metric, spread.dtype, measured);
                           });
}

std::string what_is_beyond(const Spread& spread, const std::vector<Bound>& bounds) {
  for (const Bound& bound : bounds) {
    const Direction direction = direction_of(bound.metric);
    const std::optional<double> figure = figure_of(spread, bound.metric, direction);
    if (!figure || !is_beyond(*figure, bound.warn, direction)) continue;
    return fmt::format("{} {:.2g} is beyond the {} limit {:g}", bound.metric, *figure,
                       is_beyond(*figure, bound.fail, direction) ? "fail" : "warn",
                       is_beyond(*figure, bound.fail, direction) ? bound.fail : bound.warn);
  }
  return {};
}

}  // namespace parity::gate
