#include "gate/decode.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gate/metrics.h"

namespace parity::gate {
namespace {

/// The bounds of `extent` alone; all of them where there is none.
Policy narrowed(const Policy& policy, MetricExtent extent) {
  Policy narrow;
  std::copy_if(policy.logits.begin(), policy.logits.end(), std::back_inserter(narrow.logits),
               [extent](const Bound& bound) {
                 const LogitsMetric* metric = find_logits_metric(bound.metric);
                 // A name that does not exist stays, and is refused where it is applied.
                 return metric == nullptr || metric->extent == extent;
               });
  return narrow.logits.empty() ? policy : narrow;
}

void keep_worst(const run::NoiseFigure& figure, const LogitsMetric& metric,
                std::vector<run::NoiseFigure>& worst) {
  const auto found = std::find_if(worst.begin(), worst.end(), [&](const run::NoiseFigure& known) {
    return known.metric == figure.metric;
  });
  if (found == worst.end()) {
    worst.push_back(figure);
  } else {
    found->value = worse_of(found->value, figure.value, metric.direction);
  }
}

}  // namespace

Judgement judge_step(const compare::LogitsComparison& logits, const compare::Outcome& output,
                     const Policy& policy, const TapRules& rules) {
  return judge_logits(logits, output, narrowed(policy, MetricExtent::each), rules);
}

Judgement judge_decode(compare::LogitsComparison steps, const std::optional<LogitsTruth>& truth,
                       tensor::DType dtype, const Policy& policy, const TapRules& rules) {
  steps.positions -= steps.non_finite_rows;
  steps.non_finite_rows = 0;
  Judgement judgement =
      judge_logits(steps, compare::NotCompared{}, narrowed(policy, MetricExtent::average), rules);
  return truth ? judge_logits_by_truth(std::move(judgement), *truth, dtype, policy) : judgement;
}

run::TapNoise pooled_noise(const std::vector<const run::TapNoise*>& taps) {
  run::TapNoise pooled;
  for (const run::TapNoise* noise : taps) {
    pooled.repeats = std::max(pooled.repeats, noise->repeats);
    pooled.differing = std::max(pooled.differing, noise->differing);
    for (const run::NoiseFigure& figure : noise->figures) {
      const LogitsMetric* metric = find_logits_metric(figure.metric);
      if (metric != nullptr) keep_worst(figure, *metric, pooled.figures);
    }
  }
  return pooled;
}

}  // namespace parity::gate
