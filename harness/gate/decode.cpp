#include "gate/decode.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gate/metrics.h"

namespace parity::gate {
namespace {

bool holds_at_each_position(const Bound& bound) {
  const LogitsMetric* metric = find_logits_metric(bound.metric);
  // A name that does not exist stays, and is refused where it is applied.
  return metric == nullptr || metric->extent == MetricExtent::each;
}

}  // namespace

Judgement judge_step(const compare::LogitsComparison& logits, const compare::Outcome& output,
                     const Policy& policy, const TapRules& rules) {
  Policy each;
  std::copy_if(policy.logits.begin(), policy.logits.end(), std::back_inserter(each.logits),
               holds_at_each_position);
  return judge_logits(logits, output, each.logits.empty() ? policy : each, rules);
}

Judgement judge_decode(compare::LogitsComparison steps, const std::optional<LogitsTruth>& truth,
                       tensor::DType dtype, const Policy& policy) {
  steps.positions -= steps.non_finite_rows;
  steps.non_finite_rows = 0;
  Judgement judgement = judge_logits(steps, policy);
  return truth ? judge_logits_by_truth(std::move(judgement), *truth, dtype, policy) : judgement;
}

}  // namespace parity::gate
