#include "gate/policy.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/formats.h"
#include "error/error.h"
#include "gate/metrics.h"

namespace parity::gate {
namespace {

[[noreturn]] void refuse(const Policy& policy, std::string_view scope, const std::string& problem) {
  throw Error(ErrorKind::usage, fmt::format("policy '{}', {}: {}", policy.name, scope, problem));
}

template <typename Facts>
void validate_bound(const Policy& policy, std::string_view scope, const Bound& bound,
                    const Metric<Facts>* metric) {
  if (metric == nullptr) {
    refuse(
        policy, scope,
        fmt::format("there is no metric '{}'; docs/metrics.md lists the metrics a bound can name",
                    bound.metric));
  }
  if (bound.origin.empty()) {
    refuse(policy, scope,
           fmt::format("the bound on {} has no origin; say where its number comes from",
                       bound.metric));
  }
  if (!(bound.warn >= 0) || !(bound.fail >= 0)) {
    refuse(policy, scope,
           fmt::format("the limits of {} are {} and {}; give numbers of 0 or more", bound.metric,
                       bound.warn, bound.fail));
  }
  // A fail limit stricter than the warn limit would never let anything be suspect.
  if (bound.warn != bound.fail && is_beyond(bound.warn, bound.fail, metric->direction)) {
    refuse(policy, scope,
           fmt::format("the warn limit {} of {} lies beyond its fail limit {}; swap them",
                       bound.warn, bound.metric, bound.fail));
  }
}

void validate_nrmse(const Policy& policy, const DTypePolicy& limits, const Bound& bound) {
  const std::string_view dtype = tensor::name(limits.dtype);
  if (bound.fail >= 1) {
    refuse(policy, dtype,
           fmt::format("an nrmse limit of {} accepts any tensor of zeros; use one below 1",
                       bound.fail));
  }
  const double spacing = tensor::unit_roundoff(tensor::component(limits.dtype));
  if (bound.fail > 0 && bound.fail < spacing) {
    refuse(policy, dtype,
           fmt::format(
               "an nrmse limit of {} is below one rounding of the dtype ({}); use a larger one, "
               "or 0 to ask for equal values",
               bound.fail, spacing));
  }
}

void validate_dtype(const Policy& policy, const DTypePolicy& limits) {
  const std::string_view scope = tensor::name(limits.dtype);
  if (limits.bounds.empty()) refuse(policy, scope, "there is no bound, so nothing could be judged");
  for (const Bound& bound : limits.bounds) {
    validate_bound(policy, scope, bound, find_tensor_metric(bound.metric));
    if (bound.metric == "nrmse") validate_nrmse(policy, limits, bound);
  }
  if (!(limits.truth_factor >= 1 && std::isfinite(limits.truth_factor))) {
    refuse(policy, scope,
           fmt::format("a truth_factor of {} asks the candidate to be better than the reference or "
                       "lets anything pass; use a number from 1 on",
                       limits.truth_factor));
  }
  if (std::all_of(limits.bounds.begin(), limits.bounds.end(),
                  [](const Bound& b) { return b.metric == "cosine"; })) {
    refuse(policy, scope,
           "cosine alone accepts a result that is twice too large; add a bound on nrmse");
  }
}

}  // namespace

tensor::DType bounds_dtype(tensor::DType own, std::optional<tensor::DType> inherited) {
  return inherited && tensor::is_floating(own) ? compare::coarser(own, *inherited) : own;
}

const DTypePolicy& Policy::for_dtype(tensor::DType dtype) const {
  const auto found = std::find_if(dtypes.begin(), dtypes.end(),
                                  [&](const DTypePolicy& limits) { return limits.dtype == dtype; });
  if (found == dtypes.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("policy '{}' has no bounds for {}; add them or use the built-in policy",
                            name, tensor::name(dtype)));
  }
  return *found;
}

void validate(const Policy& policy) {
  for (const DTypePolicy& limits : policy.dtypes) validate_dtype(policy, limits);
  if (policy.logits.empty())
    refuse(policy, "logits", "there is no bound, so nothing could be judged");
  for (const Bound& bound : policy.logits)
    validate_bound(policy, "logits", bound, find_logits_metric(bound.metric));
}

}  // namespace parity::gate
