#include "pipeline/tap_comparison.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/row_selection.h"
#include "compare/compare_tensors.h"
#include "compare/formats.h"
#include "gate/decode.h"
#include "gate/late_bounds.h"
#include "pipeline/row_coordinates.h"
#include "pipeline/tap_truth.h"

namespace parity::pipeline {
namespace {

report::Tap described(const run::TapRecord& record) {
  report::Tap tap;
  tap.id = record.id;
  tap.dtype = tensor::name(record.dtype);
  tap.shape = record.shape;
  tap.elements = tensor::element_count(record.shape);
  return tap;
}

bool is_digest(const run::TapRecord& record) { return record.mode == run::StoreMode::digest; }

gate::TapRules rules_for(const CompareChoice& choice, const TapData& reference,
                         const TapData& candidate, const gate::Limits& limits) {
  const bool asked = reference.record.dtype != candidate.record.dtype &&
                     choice.asked_dtype == candidate.record.dtype;
  return {asked ? gate::DtypeDifference::allowed : gate::DtypeDifference::refused,
          reference.inherited, reference.noise, limits.other_bounds()};
}

/// Whose bounds the tap is judged by.
tensor::DType bounds_dtype(const TapData& reference, const TapData& candidate) {
  return gate::bounds_dtype(compare::coarser(reference.record.dtype, candidate.record.dtype),
                            reference.inherited);
}

gate::Limits limits_of(const CompareChoice& choice, const TapData& reference,
                       const TapData& candidate) {
  return gate::limits_for(
      choice.policy, {reference.record.id, bounds_dtype(reference, candidate), choice.case_name});
}

compare::CompareOptions options_for(const CompareChoice& choice, const TapData& reference,
                                    const TapData& candidate, const gate::Limits& limits) {
  compare::CompareOptions options;
  options.element_bound = limits.policy.for_dtype(bounds_dtype(reference, candidate)).element_bound;
  options.worst_count = choice.worst_count;
  options.threads = choice.threads;
  return options;
}

/// Which part of a tap was compared.
enum class Extent : std::uint8_t { all, rows, none };

struct NamedOutcome {
  compare::Outcome outcome;
  report::Outcome name;
  Extent extent = Extent::none;
};

NamedOutcome compare_common_part(const TapData& reference, const TapData& candidate,
                                 const CompareChoice& choice, const gate::Limits& limits) {
  const std::optional<CommonPart> part = common_part(reference, candidate);
  if (!part) return {compare::NotCompared{}, report::Outcome::not_compared, Extent::none};
  compare::TensorComparison facts = compare::compare_tensors(
      compare::Reference{part->reference}, compare::Candidate{part->candidate},
      options_for(choice, reference, candidate, limits));
  const bool by_rows = reference.record.mode == run::StoreMode::rows ||
                       candidate.record.mode == run::StoreMode::rows;
  if (!by_rows) return {std::move(facts), report::Outcome::compared, Extent::all};
  const run::TapRecord& with_rows =
      reference.record.mode == run::StoreMode::rows ? reference.record : candidate.record;
  to_tap_coordinates(facts, with_rows.rows, with_rows.shape);
  return {std::move(facts), report::Outcome::rows_compared, Extent::rows};
}

NamedOutcome outcome_of(const TapData& reference, const TapData& candidate,
                        const CompareChoice& choice, const gate::Limits& limits) {
  if (reference.record.shape != candidate.record.shape) {
    return {compare::ShapeMismatch{reference.record.shape, candidate.record.shape},
            report::Outcome::shape_differs, Extent::none};
  }
  const compare::DTypeMismatch dtypes{reference.record.dtype, candidate.record.dtype};
  const bool digests = is_digest(reference.record) || is_digest(candidate.record);
  if (tensor::is_complex(dtypes.reference) != tensor::is_complex(dtypes.candidate) ||
      (digests && dtypes.reference != dtypes.candidate))
    return {dtypes, report::Outcome::dtype_differs, Extent::none};
  if (digests) {
    const bool equal = reference.record.digest == candidate.record.digest;
    return equal ? NamedOutcome{compare::DigestMatch{}, report::Outcome::digest_equal, Extent::none}
                 : NamedOutcome{compare::DigestMismatch{}, report::Outcome::digest_differs,
                                Extent::none};
  }
  return compare_common_part(reference, candidate, choice, limits);
}

std::optional<report::Logits> logits_of(const TapData& reference, const TapData& candidate,
                                        const TapData* truth, const compare::Outcome& output,
                                        const CompareChoice& choice) {
  const bool floating =
      tensor::is_floating(reference.record.dtype) && tensor::is_floating(candidate.record.dtype);
  if (reference.record.role != run::Role::logits || !floating ||
      !std::holds_alternative<compare::TensorComparison>(output)) {
    return std::nullopt;
  }
  const std::optional<CommonPart> part = common_part(reference, candidate);
  if (!part || part->reference.bytes.empty()) return std::nullopt;
  report::Logits logits;
  logits.id = reference.record.id;
  logits.facts = compare::compare_logits(compare::Reference{part->reference},
                                         compare::Candidate{part->candidate}, {});
  const gate::Limits limits = gate::logits_limits_for(choice.policy, logits.id, choice.case_name);
  logits.rule = limits.rule_id();
  const gate::TapRules rules = rules_for(choice, reference, candidate, limits);
  const bool is_step =
      choice.passes == Passes::prompt_and_steps && run::is_decode_step(reference.record.id);
  gate::Judgement judgement = is_step
                                  ? gate::judge_step(logits.facts, output, limits.policy, rules)
                                  : gate::judge_logits(logits.facts, output, limits.policy, rules);
  const std::optional<gate::LogitsTruth> by_truth =
      truth == nullptr ? std::nullopt : logits_against_truth(reference, candidate, *truth);
  if (by_truth) {
    judgement = gate::judge_logits_by_truth(
        std::move(judgement), *by_truth,
        compare::coarser(reference.record.dtype, candidate.record.dtype), limits.policy);
    logits.truth = reported(*by_truth);
  }
  logits.verdict = judgement.verdict;
  logits.reasons = std::move(judgement.reasons);
  return logits;
}

gate::Judgement judgement_of(const NamedOutcome& named, const TapData& reference,
                             const TapData& candidate,
                             const std::optional<gate::TruthErrors>& by_truth,
                             const CompareChoice& choice, const gate::Limits& limits) {
  gate::Judgement judgement = gate::judge(named.outcome, reference.record.id.kind, limits.policy,
                                          rules_for(choice, reference, candidate, limits));
  const auto* facts = std::get_if<compare::TensorComparison>(&named.outcome);
  if (by_truth)
    judgement = gate::judge_by_truth(std::move(judgement), *facts, *by_truth, limits.policy);
  if (facts != nullptr) {
    judgement = gate::judge_truth_ratio(std::move(judgement), limits,
                                        by_truth ? &*by_truth : nullptr, facts->ulp.dtype);
  }
  // The stored rows may all be equal by chance while others are not; the digests of the whole taps
  // tell.
  if (named.extent == Extent::rows && judgement.verdict == run::Verdict::identical &&
      reference.record.digest != candidate.record.digest) {
    judgement = gate::judge_unseen_difference();
  }
  return judgement;
}

std::string rows_remark(const TapData& reference, const TapData& candidate) {
  const run::TapRecord& with_rows =
      reference.record.mode == run::StoreMode::rows ? reference.record : candidate.record;
  return "compared on " + std::to_string(with_rows.rows.size()) + " of " +
         std::to_string(capture::row_count(with_rows.shape)) + " rows";
}

}  // namespace

int compare_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ComparedTap compare_tap(compare::Reference<TapData> of_reference,
                        compare::Candidate<TapData> of_candidate, const CompareChoice& choice,
                        const TapData* truth) {
  const TapData& reference = of_reference.value;
  const TapData& candidate = of_candidate.value;
  const gate::Limits limits = limits_of(choice, reference, candidate);
  NamedOutcome named = outcome_of(reference, candidate, choice, limits);
  std::optional<gate::TruthErrors> by_truth;
  if (truth != nullptr && std::holds_alternative<compare::TensorComparison>(named.outcome))
    by_truth = against_truth(reference, candidate, *truth);
  ComparedTap compared{described(reference.record),
                       logits_of(reference, candidate, truth, named.outcome, choice)};
  report::Tap& tap = compared.tap;
  if (reference.record.dtype != candidate.record.dtype)
    tap.candidate_dtype = tensor::name(candidate.record.dtype);
  tap.outcome = named.name;
  if (by_truth) tap.truth = reported(*by_truth, truth->record.dtype);
  if (reference.noise != nullptr) tap.noise = *reference.noise;
  gate::Judgement judgement = judgement_of(named, reference, candidate, by_truth, choice, limits);
  tap.verdict = judgement.verdict;
  tap.reasons = std::move(judgement.reasons);
  if (named.extent == Extent::rows) tap.reasons.push_back(rows_remark(reference, candidate));
  if (named.name == report::Outcome::not_compared)
    tap.reasons.emplace_back("the two goldens stored different rows of this tap");
  if (auto* facts = std::get_if<compare::TensorComparison>(&named.outcome)) {
    tap.facts = std::move(*facts);
    tap.bounds_dtype = tensor::name(bounds_dtype(reference, candidate));
    tap.rule = limits.rule_id();
  }
  if (auto* shapes = std::get_if<compare::ShapeMismatch>(&named.outcome))
    tap.shapes = std::move(*shapes);
  return compared;
}

report::Tap unpaired_tap(const run::TapRecord& record, gate::Unpaired side) {
  report::Tap tap = described(record);
  tap.outcome =
      side == gate::Unpaired::missing ? report::Outcome::missing : report::Outcome::additional;
  gate::Judgement judgement = gate::judge_unpaired(side);
  tap.verdict = judgement.verdict;
  tap.reasons = std::move(judgement.reasons);
  return tap;
}

}  // namespace parity::pipeline
