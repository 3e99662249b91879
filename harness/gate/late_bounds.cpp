#include "gate/late_bounds.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gate/metrics.h"

namespace parity::gate {
namespace {

using run::Verdict;

void lower(Judgement& judgement, Verdict verdict, std::string reason) {
  judgement.verdict = std::max(judgement.verdict, verdict);
  judgement.reasons.push_back(std::move(reason));
}

bool is_within(const TruthErrors& errors, double limit, tensor::DType dtype) {
  const TruthRule rule{limit, tensor::unit_roundoff(tensor::component(dtype))};
  return rule.no_further(errors.candidate.nrmse, errors.reference.nrmse);
}

bool all_optional(const std::vector<Bound>& bounds) {
  return std::all_of(bounds.begin(), bounds.end(),
                     [](const Bound& bound) { return bound.presence == Presence::optional; });
}

bool is_inside(Verdict verdict) {
  return verdict == Verdict::identical || verdict == Verdict::within;
}

}  // namespace

Judgement judge_truth_ratio(Judgement judgement, const Limits& limits, const TruthErrors* errors,
                            tensor::DType dtype) {
  if (!limits.truth_ratio || judgement.verdict == Verdict::identical) return judgement;
  if (errors == nullptr && limits.truth_ratio->presence == Presence::optional) return judgement;
  if (errors == nullptr) {
    lower(judgement, Verdict::untested,
          fmt::format("{} has a bound on {}, and no truth was recorded for this tap",
                      limits.rule_id(), kTruthRatio));
    return judgement;
  }
  const Bound& bound = *limits.truth_ratio;
  const bool fails = !is_within(*errors, bound.fail, dtype);
  if (!fails && is_within(*errors, bound.warn, dtype)) return judgement;
  const double ratio = error_ratio(errors->candidate.nrmse, errors->reference.nrmse);
  const std::string limit = fmt::format("{:.3g}", fails ? bound.fail : bound.warn);
  lower(judgement, fails ? Verdict::diverged : Verdict::suspect,
        fmt::format("{} {:.3g} {}, the {} bound of {}: nrmse against the truth {:.3g} of the "
                    "candidate, {:.3g} of the reference",
                    kTruthRatio, ratio, beyond_text(ratio, limit, Direction::higher_is_worse),
                    fails ? "fail" : "warn", tensor::name(dtype), errors->candidate.nrmse,
                    errors->reference.nrmse));
  return judgement;
}

Judgement judge_introduced(Judgement judgement, const Limits& limits,
                           const compare::TensorComparison* introduced, tensor::DType dtype,
                           const run::TapNoise* noise) {
  if (limits.introduced.empty()) return judgement;
  if (introduced == nullptr && all_optional(limits.introduced)) return judgement;
  if (introduced == nullptr) {
    lower(judgement, Verdict::untested,
          fmt::format("{} bounds what the tap introduces, and the forced pass did not measure it",
                      limits.rule_id()));
    return judgement;
  }
  Policy policy;
  policy.name = limits.policy.name;
  policy.dtypes.push_back({dtype, limits.introduced, 1});
  TapRules rules;
  rules.dtype_difference = DtypeDifference::allowed;
  rules.inherited = dtype;
  rules.noise = noise;
  // Whether the reference's values prove anything has been asked already.
  const Judgement own = judge(*introduced, run::TapKind::module, policy, rules);
  if (is_inside(own.verdict)) return judgement;
  judgement.verdict = std::max(judgement.verdict, own.verdict);
  for (const std::string& reason : own.reasons) {
    const auto& known = judgement.reasons;
    if (std::find(known.begin(), known.end(), reason) == known.end())
      judgement.reasons.push_back(std::string(kIntroducedPrefix) + reason);
  }
  return judgement;
}

}  // namespace parity::gate
