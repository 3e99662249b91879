// From the facts of one comparison to a verdict. Computes no fact: every number here comes out of
// the comparison.
#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "error/error.h"
#include "gate/metrics.h"
#include "gate/noise.h"
#include "gate/pair_classes.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using compare::ClassCounts;
using compare::LogitsComparison;
using compare::TensorComparison;
using run::Verdict;

/// Adds `reason` and moves the verdict down the ladder to `verdict` when that is worse.
void lower(Judgement& judgement, Verdict verdict, std::string reason) {
  judgement.verdict = std::max(judgement.verdict, verdict);
  judgement.reasons.push_back(std::move(reason));
}

template <typename Facts>
void apply(const Bound& bound, const Metric<Facts>* metric, const Facts& facts,
           std::string_view scope, const run::TapNoise* noise, Judgement& judgement) {
  if (metric == nullptr) {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "the policy's {} bound names the metric '{}', which does not exist; docs/metrics.md "
            "lists those that do",
            scope, bound.metric));
  }
  const double value = metric->value(facts);
  const std::optional<NoiseFloor> floor = noise_floor(bound.metric, metric->direction, noise);
  const bool raised = floor && !floor->explains_anything;
  const auto limit_of = [&](double limit) {
    return raised ? worse_of(limit, floor->limit, metric->direction) : limit;
  };
  const bool fails = is_beyond(value, limit_of(bound.fail), metric->direction);
  if (!fails && !is_beyond(value, limit_of(bound.warn), metric->direction)) return;
  const double own = fails ? bound.fail : bound.warn;
  const double limit = limit_of(own);
  std::string reason = fmt::format(
      "{} {:.3g} {}, the {} bound of {}{}", bound.metric, value,
      beyond_text(value, fmt::format("{:.3g}", limit), metric->direction), fails ? "fail" : "warn",
      scope, limit != own ? " over the reference's noise" : "");
  if (floor && floor->explains_anything) {
    lower(judgement, Verdict::untrusted,
          reason + "; the reference's own runs are so far apart that this proves nothing");
    return;
  }
  lower(judgement, fails ? Verdict::diverged : Verdict::suspect, std::move(reason));
}

std::uint64_t counted(const ClassCounts& classes) {
  return classes.finite + classes.both_nan + classes.inf_equal + one_sided(classes);
}

std::string non_finite_text(const ClassCounts& classes) {
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(classes.nan_candidate_only, "NaN in the candidate only");
  add(classes.nan_reference_only, "NaN in the reference only");
  add(classes.inf_candidate_only, "Inf in the candidate only");
  add(classes.inf_reference_only, "Inf in the reference only");
  add(classes.inf_opposite, "Inf of opposite sign");
  return text;
}

/// Noise was measured in the reference's dtype: ulp of another one, and what is outside by its
/// bounds, are no figures of the same kind.
const run::TapNoise* comparable_noise(std::string_view metric, const TensorComparison& facts,
                                      const run::TapNoise* noise) {
  const bool by_dtype = metric.substr(0, 4) == "ulp." || metric.substr(0, 6) == "where.";
  return by_dtype && facts.reference_dtype != facts.candidate_dtype ? nullptr : noise;
}

void judge_values(const TensorComparison& facts, const Policy& policy, const TapRules& rules,
                  Judgement& judgement) {
  if (is_identical(facts)) {
    judgement.verdict = Verdict::identical;
    return;
  }
  judgement.verdict = Verdict::within;
  if (is_only_flushing(facts)) {
    lower(judgement, Verdict::suspect,
          fmt::format("the only differences are {} subnormal numbers that one side flushed to zero",
                      facts.classes.flushed_to_zero));
    return;
  }
  const tensor::DType own =
      facts.reference_dtype == facts.candidate_dtype ? facts.reference_dtype : facts.ulp.dtype;
  const tensor::DType dtype = bounds_dtype(own, rules.inherited);
  if (one_sided(facts.classes) > 0)
    lower(judgement, Verdict::non_finite, non_finite_text(facts.classes));
  const DTypePolicy& limits = policy.for_dtype(dtype);
  if (limits.bounds.empty() && rules.other_bounds == OtherBounds::none)
    lower(judgement, Verdict::untested, "the policy has no bound for this tap");
  for (const Bound& bound : limits.bounds) {
    apply(bound, find_tensor_metric(bound.metric), facts, tensor::name(dtype),
          comparable_noise(bound.metric, facts, rules.noise), judgement);
  }
}

/// A constant reference agrees with every constant: an output like that proves nothing, an inner
/// tap is noted. A difference that was found stays what it is.
void judge_substance(const TensorComparison& facts, run::TapKind kind, Judgement& judgement) {
  if (!facts.reference_constant && !facts.reference_all_nan) return;
  std::string reason = fmt::format("the reference is {} here",
                                   facts.reference_all_nan    ? "NaN everywhere"
                                   : facts.reference_rms == 0 ? "zero everywhere"
                                                              : "the same value everywhere");
  if (kind != run::TapKind::output) {
    judgement.reasons.push_back(std::move(reason));
  } else if (run::passes(judgement.verdict, run::Strictness::normal)) {
    lower(judgement, Verdict::untrusted, reason + ", so agreement proves nothing");
  } else {
    judgement.reasons.push_back(reason + ", so agreement would have proved nothing");
  }
}

Judgement judge_tensors(const TensorComparison& facts, run::TapKind kind, const Policy& policy,
                        const TapRules& rules) {
  Judgement judgement;
  if (counted(facts.classes) != facts.elements) {
    judgement.reasons.push_back(fmt::format("the comparison accounts for {} of {} elements",
                                            counted(facts.classes), facts.elements));
    return judgement;
  }
  if (facts.reference_dtype != facts.candidate_dtype &&
      rules.dtype_difference == DtypeDifference::refused) {
    return {
        Verdict::dtype_differs,
        {fmt::format("the reference is {}, the candidate {}; run both in one dtype",
                     tensor::name(facts.reference_dtype), tensor::name(facts.candidate_dtype))}};
  }
  judge_values(facts, policy, rules, judgement);
  judge_substance(facts, kind, judgement);
  return judgement;
}

/// Whatever the policy allows: there is no figure to judge.
Judgement judge_dtypes(const compare::DTypeMismatch& dtypes) {
  if (tensor::is_complex(dtypes.reference) != tensor::is_complex(dtypes.candidate)) {
    return {Verdict::dtype_differs, {"one side is complex, the other real: there is no distance"}};
  }
  return {Verdict::dtype_differs,
          {fmt::format("the reference is {}, the candidate {}, and digests say nothing across "
                       "dtypes; run both in one dtype or record with --store full",
                       tensor::name(dtypes.reference), tensor::name(dtypes.candidate))}};
}

struct Judge {
  run::TapKind kind;
  const Policy& policy;
  const TapRules& rules;

  Judgement operator()(const compare::NotCompared& /*facts*/) const {
    return {Verdict::untested, {"nothing was compared"}};
  }
  Judgement operator()(const TensorComparison& facts) const {
    return judge_tensors(facts, kind, policy, rules);
  }
  Judgement operator()(const compare::ShapeMismatch& shapes) const {
    return {
        Verdict::shape_differs,
        {fmt::format("the reference has shape {}, the candidate {}",
                     tensor::to_string(shapes.reference), tensor::to_string(shapes.candidate))}};
  }
  Judgement operator()(const compare::DTypeMismatch& dtypes) const { return judge_dtypes(dtypes); }
  Judgement operator()(const compare::DigestMatch& /*facts*/) const {
    return {Verdict::identical, {}};
  }
  Judgement operator()(const compare::DigestMismatch& /*facts*/) const {
    if (is_nondeterministic(rules.noise)) {
      return {Verdict::untested,
              {"bits differ, as they do between runs of the reference itself, so that a digest "
               "cannot tell; record with --store full or rows:N to measure it"}};
    }
    return {Verdict::diverged,
            {"bits differ; a digest golden cannot say how far, record with --store full or rows:N "
             "to measure it"}};
  }
};

/// Whether rows that are not finite are so on both sides alike.
enum class NonFiniteRows : std::uint8_t { alike, unknown };

Judgement judge_rows(const LogitsComparison& logits, NonFiniteRows rows, const Policy& policy,
                     const TapRules& rules) {
  if (logits.positions == 0 && logits.non_finite_rows == 0)
    return {Verdict::untested, {"there are no positions"}};
  Judgement judgement{Verdict::within, {}};
  if (policy.logits.empty())
    lower(judgement, Verdict::untested, "the policy has no bound for logits");
  for (const Bound& bound : policy.logits) {
    apply(bound, find_logits_metric(bound.metric), logits, "logits", rules.noise, judgement);
  }
  if (logits.non_finite_rows == 0) return judgement;
  const std::string rows_text =
      fmt::format("{} positions hold NaN or +Inf", logits.non_finite_rows);
  if (rows == NonFiniteRows::unknown) {
    lower(judgement, Verdict::non_finite, rows_text + " and are in no other figure");
  } else if (logits.positions <= logits.non_finite_rows) {
    lower(judgement, Verdict::untrusted,
          rows_text + " on both sides and no other is left: agreement proves nothing");
  } else {
    lower(judgement, Verdict::suspect,
          rows_text + " on both sides alike and are in no other figure");
  }
  return judgement;
}

}  // namespace

Judgement judge(const compare::Outcome& outcome, run::TapKind kind, const Policy& policy,
                const TapRules& rules) {
  Judgement judgement = std::visit(Judge{kind, policy, rules}, outcome);
  if (is_nondeterministic(rules.noise) && judgement.verdict != Verdict::identical)
    judgement.reasons.push_back(noise_text(*rules.noise));
  return judgement;
}

Judgement judge_logits(const LogitsComparison& logits, const Policy& policy) {
  return judge_rows(logits, NonFiniteRows::unknown, policy, {});
}

Judgement judge_logits(const LogitsComparison& logits, const compare::Outcome& output,
                       const Policy& policy, const TapRules& rules) {
  const auto* facts = std::get_if<TensorComparison>(&output);
  const bool alike = facts != nullptr && one_sided(facts->classes) == 0;
  return judge_rows(logits, alike ? NonFiniteRows::alike : NonFiniteRows::unknown, policy, rules);
}

}  // namespace parity::gate
