#include "pipeline/compare/tap_truth.h"

#include <string>
#include <vector>

#include "compare/compare_logits.h"
#include "compare/flips_by_truth.h"

namespace parity::pipeline {
namespace {

/// The same part of the tap from all three.
struct Parts {
  CommonPart sides;
  tensor::TensorView truth;
  std::vector<std::byte> selected;  ///< owns the bytes of a truth that was cut down to rows
};

std::optional<Parts> parts_of(const TapData& reference, const TapData& candidate,
                              const TapData& truth) {
  if (truth.record.shape != reference.record.shape ||
      truth.record.shape != candidate.record.shape ||
      !is_more_precise(truth.record.dtype, reference.record.dtype) ||
      !is_more_precise(truth.record.dtype, candidate.record.dtype)) {
    return std::nullopt;
  }
  std::optional<CommonPart> sides = common_part(reference, candidate);
  if (!sides) return std::nullopt;
  Parts parts{std::move(*sides), {}, {}};
  const std::optional<tensor::TensorView> part = part_of(truth, parts.sides.rows, parts.selected);
  if (!part) return std::nullopt;
  parts.truth = *part;
  return parts;
}

}  // namespace

bool is_more_precise(tensor::DType truth, tensor::DType dtype) {
  return tensor::is_complex(truth) == tensor::is_complex(dtype) && !tensor::is_integral(dtype) &&
         tensor::significand_bits(tensor::component(truth)) >
             tensor::significand_bits(tensor::component(dtype));
}

std::optional<gate::TruthErrors> against_truth(const TapData& reference, const TapData& candidate,
                                               const TapData& truth) {
  const std::optional<Parts> parts = parts_of(reference, candidate, truth);
  if (!parts) return std::nullopt;
  return gate::TruthErrors{compare::distance_to(parts->truth, parts->sides.reference),
                           compare::distance_to(parts->truth, parts->sides.candidate)};
}

std::optional<gate::LogitsTruth> logits_against_truth(const TapData& reference,
                                                      const TapData& candidate,
                                                      const TapData& truth, int threads) {
  const std::optional<Parts> parts = parts_of(reference, candidate, truth);
  if (!parts || parts->truth.shape.empty()) return std::nullopt;
  const compare::Reference by_truth{parts->truth};
  const compare::Candidate reference_side{parts->sides.reference};
  const compare::Candidate candidate_side{parts->sides.candidate};
  compare::LogitsOptions options;
  options.threads = threads;
  return gate::LogitsTruth{compare::compare_logits(by_truth, reference_side, options),
                           compare::compare_logits(by_truth, candidate_side, options),
                           compare::flips_by_truth(compare::Reference{parts->sides.reference},
                                                   candidate_side, parts->truth, options)};
}

report::TapTruth reported(const gate::TruthErrors& found, tensor::DType truth) {
  return {std::string(tensor::name(truth)),
          found.reference.nrmse,
          found.candidate.nrmse,
          gate::error_ratio(found.candidate.nrmse, found.reference.nrmse),
          found.reference.max_error_over_rms,
          found.candidate.max_error_over_rms,
          std::nullopt,
          found.reference.one_sided,
          found.candidate.one_sided};
}

report::LogitsTruth reported(const gate::LogitsTruth& found) {
  return {found.reference.kl, found.candidate.kl, found.reference.non_finite_rows,
          found.candidate.non_finite_rows, found.flips};
}

}  // namespace parity::pipeline
