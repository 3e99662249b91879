// Comparisons made by hand, so that judgement is tested on figures that the test itself states.
#pragma once

#include <cmath>

#include "compare/facts.h"
#include "compare/logits_facts.h"

namespace parity::gate_test {

/// 1000 elements, all bits equal.
inline compare::TensorComparison identical_facts(tensor::DType dtype = tensor::DType::float32) {
  compare::TensorComparison facts;
  facts.reference_dtype = dtype;
  facts.candidate_dtype = dtype;
  facts.shape = {10, 100};
  facts.elements = 1000;
  facts.classes.equal_bits = 1000;
  facts.classes.finite = 1000;
  facts.ulp.dtype = dtype;
  facts.reference_rms = 1;
  return facts;
}

/// The same with 900 of the elements off, as rounding noise of norm `nrmse` leaves them.
inline compare::TensorComparison noisy_facts(double nrmse,
                                             tensor::DType dtype = tensor::DType::float32) {
  compare::TensorComparison facts = identical_facts(dtype);
  facts.classes.equal_bits = 100;
  facts.exact_share = 0.1;
  facts.nrmse = nrmse;
  facts.absolute.max = 4 * nrmse;
  facts.max_error_over_rms = 4 * nrmse;
  facts.relative.max = 100 * nrmse;
  facts.cosine = 1 - nrmse * nrmse / 2;
  facts.ulp.max = 12;
  facts.ulp.quantiles = {1, 2, 5, 9, false};
  return facts;
}

/// Logits of 512 positions as two good backends give them.
inline compare::LogitsComparison close_logits() {
  compare::LogitsComparison facts;
  facts.positions = 512;
  facts.decided_gap = 2.0;
  facts.topk_overlap = {{5, 1.0}, {10, 0.998}};
  facts.kl = {2e-6, 9e-6, 3e-5};
  facts.kl_reverse = {2e-6, 9e-6, 3e-5};
  facts.first_divergent = {-1, -1};
  facts.max_logprob_change = 0.02;
  return facts;
}

}  // namespace parity::gate_test
