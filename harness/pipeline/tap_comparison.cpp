#include "pipeline/tap_comparison.h"

#include <string>
#include <utility>
#include <vector>

#include "capture/row_selection.h"
#include "compare/compare_tensors.h"
#include "gate/gate.h"

namespace parity::pipeline {
namespace {

/// The same part of the tap from both sides.
struct CommonPart {
  tensor::TensorView reference;
  tensor::TensorView candidate;
  std::vector<std::byte> selected;  ///< owns the bytes of the side that was cut down to rows
};

tensor::TensorView rows_of(const TapData& tap, const std::vector<std::int64_t>& rows,
                           std::vector<std::byte>& bytes) {
  bytes = capture::select_rows(tap.stored, rows);
  const std::int64_t width = tap.record.shape.empty() ? 1 : tap.record.shape.back();
  return {tap.record.dtype, {static_cast<std::int64_t>(rows.size()), width}, bytes};
}

/// nullopt when the two sides stored different rows, so that no element is on both.
std::optional<CommonPart> common_part(const TapData& reference, const TapData& candidate) {
  CommonPart part{reference.stored, candidate.stored, {}};
  const bool reference_rows = reference.record.mode == run::StoreMode::rows;
  const bool candidate_rows = candidate.record.mode == run::StoreMode::rows;
  if (reference_rows && candidate_rows) {
    if (reference.record.rows != candidate.record.rows) return std::nullopt;
  } else if (reference_rows) {
    part.candidate = rows_of(candidate, reference.record.rows, part.selected);
  } else if (candidate_rows) {
    part.reference = rows_of(reference, candidate.record.rows, part.selected);
  }
  return part;
}

report::Tap described(const run::TapRecord& record) {
  report::Tap tap;
  tap.id = record.id;
  tap.dtype = tensor::name(record.dtype);
  tap.shape = record.shape;
  tap.elements = tensor::element_count(record.shape);
  return tap;
}

bool is_digest(const run::TapRecord& record) { return record.mode == run::StoreMode::digest; }

compare::CompareOptions options_for(const CompareChoice& choice, tensor::DType dtype) {
  compare::CompareOptions options;
  options.element_bound = choice.policy->for_dtype(dtype).element_bound;
  options.worst_count = choice.worst_count;
  options.threads = choice.threads;
  return options;
}

struct NamedOutcome {
  compare::Outcome outcome;
  std::string name;
  std::string remark;  ///< why nothing was compared, or that only a part was
};

NamedOutcome outcome_of(const TapData& reference, const TapData& candidate,
                        const CompareChoice& choice) {
  if (reference.record.shape != candidate.record.shape) {
    return {compare::ShapeMismatch{reference.record.shape, candidate.record.shape}, "shape_differs",
            ""};
  }
  if (is_digest(reference.record) || is_digest(candidate.record)) {
    const bool equal = reference.record.dtype == candidate.record.dtype &&
                       reference.record.digest == candidate.record.digest;
    return equal ? NamedOutcome{compare::DigestMatch{}, "digest_equal", ""}
                 : NamedOutcome{compare::DigestMismatch{}, "digest_differs", ""};
  }
  const std::optional<CommonPart> part = common_part(reference, candidate);
  if (!part)
    return {compare::NotCompared{}, "not_compared",
            "the two goldens stored different rows of this tap"};
  const bool rows = part->reference.shape != reference.record.shape;
  return {compare::compare_tensors(compare::Reference{part->reference},
                                   compare::Candidate{part->candidate},
                                   options_for(choice, reference.record.dtype)),
          rows ? "rows_compared" : "compared",
          rows ? "compared on " + std::to_string(part->reference.shape.front()) + " of " +
                     std::to_string(capture::row_count(reference.record.shape)) + " rows"
               : ""};
}

std::optional<report::Logits> logits_of(const TapData& reference, const TapData& candidate,
                                        const compare::Outcome& output,
                                        const CompareChoice& choice) {
  const bool floating =
      tensor::is_floating(reference.record.dtype) && tensor::is_floating(candidate.record.dtype);
  if (reference.record.role != run::Role::logits || !floating ||
      reference.record.shape != candidate.record.shape || is_digest(reference.record) ||
      is_digest(candidate.record)) {
    return std::nullopt;
  }
  const std::optional<CommonPart> part = common_part(reference, candidate);
  if (!part || part->reference.bytes.empty()) return std::nullopt;
  report::Logits logits;
  logits.id = reference.record.id;
  logits.facts = compare::compare_logits(compare::Reference{part->reference},
                                         compare::Candidate{part->candidate}, {});
  gate::Judgement judgement = gate::judge_logits(logits.facts, output, *choice.policy);
  logits.verdict = judgement.verdict;
  logits.reasons = std::move(judgement.reasons);
  return logits;
}

/// The stored rows may all be equal by chance while others are not; the digests of the whole taps
/// tell.
bool differs_unseen(const report::Tap& tap, const run::TapRecord& reference,
                    const run::TapRecord& candidate) {
  return tap.outcome == "rows_compared" && tap.verdict == run::Verdict::identical &&
         reference.digest != candidate.digest;
}

}  // namespace

ComparedTap compare_tap(compare::Reference<TapData> reference,
                        compare::Candidate<TapData> candidate, const CompareChoice& choice) {
  const TapData& left = reference.value;
  const TapData& right = candidate.value;
  NamedOutcome named = outcome_of(left, right, choice);
  ComparedTap compared{described(left.record), logits_of(left, right, named.outcome, choice)};
  report::Tap& tap = compared.tap;
  if (left.record.dtype != right.record.dtype)
    tap.candidate_dtype = tensor::name(right.record.dtype);
  tap.outcome = named.name;
  gate::Judgement judgement = gate::judge(named.outcome, left.record.id.kind, *choice.policy);
  tap.verdict = judgement.verdict;
  if (differs_unseen(tap, left.record, right.record)) {
    judgement = gate::judge_unseen_difference();
    tap.verdict = judgement.verdict;
  }
  tap.reasons = std::move(judgement.reasons);
  if (!named.remark.empty()) tap.reasons.push_back(named.remark);
  if (auto* facts = std::get_if<compare::TensorComparison>(&named.outcome))
    tap.facts = std::move(*facts);
  if (auto* shapes = std::get_if<compare::ShapeMismatch>(&named.outcome))
    tap.shapes = std::move(*shapes);
  return compared;
}

report::Tap missing_tap(compare::Reference<run::TapRecord> reference) {
  report::Tap tap = described(reference.value);
  tap.outcome = "missing";
  gate::Judgement judgement = gate::judge_unpaired(gate::Unpaired::missing);
  tap.verdict = judgement.verdict;
  tap.reasons = std::move(judgement.reasons);
  return tap;
}

report::Tap additional_tap(compare::Candidate<run::TapRecord> candidate) {
  report::Tap tap = described(candidate.value);
  tap.outcome = "additional";
  gate::Judgement judgement = gate::judge_unpaired(gate::Unpaired::additional);
  tap.verdict = judgement.verdict;
  tap.reasons = std::move(judgement.reasons);
  return tap;
}

}  // namespace parity::pipeline
