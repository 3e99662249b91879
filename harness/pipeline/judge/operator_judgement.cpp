#include "pipeline/judge/operator_judgement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compare/compare_tensors.h"
#include "compare/formats.h"
#include "gate/operator_blame.h"
#include "gate/pair_classes.h"
#include "pipeline/compare/tap_comparison.h"

namespace parity::pipeline {
namespace {

compare::TensorComparison facts_of(const tensor::HostTensor& reference,
                                   const tensor::HostTensor& candidate) {
  compare::CompareOptions options;
  options.worst_count = 0;
  options.threads = compare_threads();
  return compare::compare_tensors(compare::Reference{reference.view()},
                                  compare::Candidate{candidate.view()}, options);
}

/// Of two results' dtypes the one that rounds more; integers round nothing.
tensor::DType coarser(tensor::DType one, tensor::DType other) {
  if (tensor::is_integral(other)) return one;
  return tensor::is_integral(one) ? other : compare::coarser(one, other);
}

/// The worst of the operator's results.
gate::OwnError error_of(const model::OperatorCall& call, const model::OwnValues& own) {
  gate::OwnError error;
  error.name = call.source.empty() ? call.name : call.name + " (" + call.source + ")";
  error.not_judged = own.not_judged;
  error.dtype = own.values.empty() ? tensor::DType::int64 : own.values.front().candidate.dtype();
  for (const model::OwnValue& value : own.values) {
    const compare::TensorComparison facts = facts_of(value.exact, value.candidate);
    const double nrmse =
        gate::one_sided(facts.classes) > 0 ? std::max(facts.nrmse, 1.0) : facts.nrmse;
    error.dtype = coarser(error.dtype, facts.ulp.dtype);
    error.nrmse = std::max(error.nrmse, nrmse);
    error.max_error_over_rms = std::max(error.max_error_over_rms, facts.max_error_over_rms);
    error.moved_nrmse = std::max(error.moved_nrmse, facts_of(value.exact, value.moved).nrmse);
  }
  return error;
}

}  // namespace

void judge_operators(const model::OperatorTrace& trace, report::Blame& blame) {
  const std::vector<model::OperatorCall>& operators = trace.operators();
  std::vector<gate::OwnError> errors;
  for (std::size_t i = 0; i < operators.size(); ++i)
    errors.push_back(error_of(operators[i], trace.in_float64(i)));
  gate::OperatorBlame found = gate::blame_operator(errors);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    blame.operators.push_back({operators[i].name,
                               operators[i].source,
                               {errors[i].not_judged, errors[i].nrmse, found.explained[i]}});
  }
  blame.culprit = found.culprit;
  blame.operators_sentence = std::move(found.sentence);
}

}  // namespace parity::pipeline
