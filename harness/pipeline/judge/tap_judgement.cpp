#include "pipeline/judge/tap_judgement.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/formats.h"
#include "gate/decode.h"
#include "gate/gate.h"
#include "gate/late_bounds.h"

namespace parity::pipeline {
namespace {

tensor::DType dtype_of(const std::string& name) { return tensor::dtype_from_name(name).value(); }

std::optional<tensor::DType> inherited(const report::Tap& tap) {
  return tensor::dtype_from_name(tap.inherited_dtype);
}

const std::string& candidate_dtype(const report::Tap& tap) {
  return tap.candidate_dtype.empty() ? tap.dtype : tap.candidate_dtype;
}

const run::TapNoise* noise_of(const report::Tap& tap) { return tap.noise ? &*tap.noise : nullptr; }

compare::Outcome outcome_of(const report::Tap& tap) {
  switch (tap.outcome) {
    case report::Outcome::digest_equal:
      return compare::DigestMatch{};
    case report::Outcome::digest_differs:
      return compare::DigestMismatch{};
    case report::Outcome::dtype_differs:
      return compare::DTypeMismatch{dtype_of(tap.dtype), dtype_of(candidate_dtype(tap))};
    default:
      break;
  }
  if (tap.facts) return *tap.facts;
  if (tap.shapes) return *tap.shapes;
  return compare::NotCompared{};
}

gate::TapRules rules_for(const report::Tap& tap, const JudgeContext& context,
                         const gate::Limits& limits) {
  const bool asked = !tap.candidate_dtype.empty() && tap.candidate_dtype == context.asked_dtype;
  return {asked ? gate::DtypeDifference::allowed : gate::DtypeDifference::refused, inherited(tap),
          noise_of(tap), limits.other_bounds()};
}

gate::TruthErrors errors_of(const report::TapTruth& truth) {
  return {{truth.reference_one_sided, truth.reference_nrmse, truth.reference_max_error_over_rms},
          {truth.candidate_one_sided, truth.candidate_nrmse, truth.candidate_max_error_over_rms}};
}

gate::LogitsTruth truth_of(const report::LogitsTruth& truth) {
  gate::LogitsTruth result;
  result.reference.kl = truth.reference_kl;
  result.reference.non_finite_rows = truth.reference_non_finite_rows;
  result.candidate.kl = truth.candidate_kl;
  result.candidate.non_finite_rows = truth.candidate_non_finite_rows;
  result.flips = truth.flips;
  return result;
}

/// By what was measured between the two sides, and against a truth.
gate::Judgement judgement_of(const report::Tap& tap, const JudgeContext& context,
                             const gate::Limits& limits) {
  gate::Judgement judgement =
      gate::judge(outcome_of(tap), tap.id.kind, limits.policy, rules_for(tap, context, limits));
  if (tap.facts) {
    std::optional<gate::TruthErrors> errors;
    if (tap.truth) errors = errors_of(*tap.truth);
    if (errors)
      judgement = gate::judge_by_truth(std::move(judgement), *tap.facts, *errors, limits.policy);
    judgement = gate::judge_truth_ratio(std::move(judgement), limits, errors ? &*errors : nullptr,
                                        tap.facts->ulp.dtype);
  }
  // The stored rows may all be equal by chance while others are not; the digests of the whole taps
  // tell.
  if (tap.unseen_rows == report::UnseenRows::differ && judgement.verdict == run::Verdict::identical)
    judgement = gate::judge_unseen_difference();
  if (tap.rows) {
    judgement.reasons.push_back(
        fmt::format("compared on {} of {} rows", tap.rows->compared, tap.rows->of));
  }
  if (tap.outcome == report::Outcome::not_compared)
    judgement.reasons.emplace_back("the two goldens stored different rows of this tap");
  return judgement;
}

gate::Judgement judgement_of_unpaired(const report::Tap& tap) {
  gate::Judgement judgement =
      gate::judge_unpaired(tap.outcome == report::Outcome::missing ? gate::Unpaired::missing
                                                                   : gate::Unpaired::additional);
  if (!tap.not_captured.empty())
    judgement.reasons.push_back("the candidate could not capture it: " + tap.not_captured);
  return judgement;
}

void take(gate::Judgement judgement, report::Tap& tap) {
  tap.verdict = judgement.verdict;
  tap.reasons = std::move(judgement.reasons);
}

/// The taps of a case by name, for logits, which are judged beside theirs.
using TapsById = std::map<run::TapId, const report::Tap*>;

void judge_logits(report::Logits& logits, const report::Tap* tap, const report::Case& item,
                  const gate::RuleBook& policy) {
  const gate::Limits limits =
      gate::logits_limits_for(policy, logits.id, report::recorded_name(item));
  gate::TapRules rules;
  compare::Outcome output = compare::NotCompared{};
  tensor::DType dtype = tensor::DType::float32;
  if (tap != nullptr) {
    rules.noise = noise_of(*tap);
    output = outcome_of(*tap);
    dtype = compare::coarser(dtype_of(tap->dtype), dtype_of(candidate_dtype(*tap)));
  }
  const bool is_step = item.decode && run::is_decode_step(logits.id);
  gate::Judgement judgement = is_step
                                  ? gate::judge_step(logits.facts, output, limits.policy, rules)
                                  : gate::judge_logits(logits.facts, output, limits.policy, rules);
  if (logits.truth) {
    judgement = gate::judge_logits_by_truth(std::move(judgement), truth_of(*logits.truth), dtype,
                                            limits.policy);
  }
  logits.rule = limits.rule_id();
  logits.verdict = judgement.verdict;
  logits.reasons = std::move(judgement.reasons);
}

/// The coarser dtype of the steps' logits; float32 where none was measured.
tensor::DType dtype_of_steps(const report::Case& item) {
  for (const report::Tap& tap : item.taps) {
    if (run::is_decode_step(tap.id) && tap.facts) return tap.facts->ulp.dtype;
  }
  return tensor::DType::float32;
}

run::TapNoise noise_of_steps(const report::Case& item) {
  std::vector<const run::TapNoise*> noise;
  for (const report::Tap& tap : item.taps) {
    if (run::is_decode_step(tap.id) && tap.id.call <= item.decode->pooled_steps && tap.noise)
      noise.push_back(&*tap.noise);
  }
  return gate::pooled_noise(noise);
}

void judge_decode(report::Case& item, const gate::RuleBook& policy) {
  report::Decode& decode = *item.decode;
  const gate::Limits limits =
      gate::logits_limits_for(policy, decode.id, report::recorded_name(item));
  const run::TapNoise noise = noise_of_steps(item);
  gate::TapRules rules;
  rules.noise = &noise;
  std::optional<gate::LogitsTruth> truth;
  if (decode.truth) truth = truth_of(*decode.truth);
  gate::Judgement judgement =
      gate::judge_decode(decode.logits, truth, dtype_of_steps(item), limits.policy, rules);
  decode.rule = limits.rule_id();
  decode.verdict = judgement.verdict;
  decode.reasons = std::move(judgement.reasons);
}

/// On one device, the same run gives the same bits or is not reproducible: no bound says that this
/// is fine.
void demand_equal_bits(report::Case& item) {
  for (report::Tap& tap : item.taps) {
    if (tap.verdict != run::Verdict::within) continue;
    tap.verdict = run::Verdict::suspect;
    tap.reasons.insert(tap.reasons.begin(),
                       "other bits than in the first run of the same inputs on the same device");
  }
}

}  // namespace

void judge_tap(report::Tap& tap, const JudgeContext& context) {
  tap.rule.clear();
  tap.bounds_dtype.clear();
  if (tap.outcome == report::Outcome::missing || tap.outcome == report::Outcome::additional) {
    take(judgement_of_unpaired(tap), tap);
    return;
  }
  const tensor::DType dtype = gate::bounds_dtype(
      compare::coarser(dtype_of(tap.dtype), dtype_of(candidate_dtype(tap))), inherited(tap));
  const gate::Limits limits = gate::limits_for(context.policy, {tap.id, dtype, context.case_name});
  gate::Judgement judgement = judgement_of(tap, context, limits);
  if (tap.facts) {
    judgement =
        gate::judge_introduced(std::move(judgement), limits,
                               tap.introduced ? &*tap.introduced : nullptr, dtype, noise_of(tap));
    tap.bounds_dtype = tensor::name(dtype);
    tap.rule = limits.rule_id();
  }
  take(std::move(judgement), tap);
}

void judge_case(report::Case& item, const gate::RuleBook& policy, const std::string& asked_dtype) {
  const JudgeContext context{policy, report::recorded_name(item), asked_dtype};
  TapsById by_id;
  for (report::Tap& tap : item.taps) {
    judge_tap(tap, context);
    by_id.emplace(tap.id, &tap);
  }
  if (item.same_run == report::SameRun::yes) demand_equal_bits(item);
  for (report::Logits& logits : item.logits) {
    const auto found = by_id.find(logits.id);
    judge_logits(logits, found == by_id.end() ? nullptr : found->second, item, policy);
  }
  if (item.decode) judge_decode(item, policy);
}

}  // namespace parity::pipeline
