#include "pipeline/compare/tap_comparison.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/row_selection.h"
#include "compare/compare_tensors.h"
#include "compare/element_bound.h"
#include "compare/formats.h"
#include "gate/policy.h"
#include "pipeline/compare/row_coordinates.h"
#include "pipeline/compare/tap_truth.h"

namespace parity::pipeline {
namespace {

std::string name_of(std::optional<tensor::DType> dtype) {
  return dtype ? std::string(tensor::name(*dtype)) : std::string{};
}

report::Tap described(const run::TapRecord& record, std::optional<tensor::DType> inherited) {
  report::Tap tap;
  tap.id = record.id;
  tap.dtype = tensor::name(record.dtype);
  tap.shape = record.shape;
  tap.elements = tensor::element_count(record.shape);
  tap.role = record.role;
  tap.inherited_dtype = name_of(inherited);
  return tap;
}

bool is_digest(const run::TapRecord& record) { return record.mode == run::StoreMode::digest; }

/// What both sides have been rounded to says how far off an element may be.
compare::CompareOptions options_for(const CompareChoice& choice, const TapData& reference,
                                    const TapData& candidate) {
  const tensor::DType own = compare::coarser(reference.record.dtype, candidate.record.dtype);
  compare::CompareOptions options;
  options.element_bound = compare::element_bound(gate::bounds_dtype(own, reference.inherited));
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
                                 const CompareChoice& choice) {
  const std::optional<CommonPart> part = common_part(reference, candidate);
  if (!part) return {compare::NotCompared{}, report::Outcome::not_compared, Extent::none};
  compare::TensorComparison facts = compare::compare_tensors(
      compare::Reference{part->reference}, compare::Candidate{part->candidate},
      options_for(choice, reference, candidate));
  const bool by_rows = reference.record.mode == run::StoreMode::rows ||
                       candidate.record.mode == run::StoreMode::rows;
  if (!by_rows) return {std::move(facts), report::Outcome::compared, Extent::all};
  const run::TapRecord& with_rows =
      reference.record.mode == run::StoreMode::rows ? reference.record : candidate.record;
  to_tap_coordinates(facts, with_rows.rows, with_rows.shape);
  return {std::move(facts), report::Outcome::rows_compared, Extent::rows};
}

NamedOutcome outcome_of(const TapData& reference, const TapData& candidate,
                        const CompareChoice& choice) {
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
  return compare_common_part(reference, candidate, choice);
}

std::optional<report::Logits> logits_of(const TapData& reference, const TapData& candidate,
                                        const TapData* truth, const compare::Outcome& output,
                                        int threads) {
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
  compare::LogitsOptions options;
  options.threads = threads;
  logits.facts = compare::compare_logits(compare::Reference{part->reference},
                                         compare::Candidate{part->candidate}, options);
  if (truth != nullptr) {
    if (const auto found = logits_against_truth(reference, candidate, *truth, threads))
      logits.truth = reported(*found);
  }
  return logits;
}

void add_rows(const TapData& reference, const TapData& candidate, report::Tap& tap) {
  const run::TapRecord& with_rows =
      reference.record.mode == run::StoreMode::rows ? reference.record : candidate.record;
  tap.rows = report::RowsCompared{with_rows.rows.size(),
                                  static_cast<std::uint64_t>(capture::row_count(with_rows.shape))};
  tap.unseen_rows = reference.record.digest == candidate.record.digest ? report::UnseenRows::equal
                                                                       : report::UnseenRows::differ;
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
  NamedOutcome named = outcome_of(reference, candidate, choice);
  ComparedTap compared{described(reference.record, reference.inherited),
                       logits_of(reference, candidate, truth, named.outcome, choice.threads)};
  report::Tap& tap = compared.tap;
  if (reference.record.dtype != candidate.record.dtype)
    tap.candidate_dtype = tensor::name(candidate.record.dtype);
  if (candidate.own_names != nullptr) tap.candidate_taps = *candidate.own_names;
  tap.outcome = named.name;
  if (truth != nullptr && std::holds_alternative<compare::TensorComparison>(named.outcome)) {
    if (const auto errors = against_truth(reference, candidate, *truth))
      tap.truth = reported(*errors, truth->record.dtype);
  }
  if (reference.noise != nullptr) tap.noise = *reference.noise;
  if (named.extent == Extent::rows) add_rows(reference, candidate, tap);
  if (auto* facts = std::get_if<compare::TensorComparison>(&named.outcome))
    tap.facts = std::move(*facts);
  if (auto* shapes = std::get_if<compare::ShapeMismatch>(&named.outcome))
    tap.shapes = std::move(*shapes);
  return compared;
}

report::Tap missing_tap(const run::TapRecord& record, std::optional<tensor::DType> inherited) {
  report::Tap tap = described(record, inherited);
  tap.outcome = report::Outcome::missing;
  return tap;
}

report::Tap additional_tap(const run::TapRecord& record) {
  report::Tap tap = described(record, std::nullopt);
  tap.outcome = report::Outcome::additional;
  return tap;
}

report::LeftOutTap left_out_tap(const run::TapRecord& record,
                                std::optional<tensor::DType> inherited) {
  return {record.id, std::string(tensor::name(record.dtype)), name_of(inherited), record.role,
          record.shape};
}

}  // namespace parity::pipeline
