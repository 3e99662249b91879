// Compares logits row by row: would a user of the model see the difference?
// A pure function of two spans; how large a difference is allowed is the gate's business.
#pragma once

#include <vector>

#include "compare/logits_facts.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

struct LogitsOptions {
  double decided_gap =
      2.0;  ///< logit units; a position with a larger top-2 gap is decided [mlxcel #1188]
  std::vector<int> top_k = {
      5, 10};       ///< sizes of the top-k overlap; larger than the vocabulary: left out
  int threads = 1;  ///< over rows; changes the speed only, never a bit of the result
};

/// Both [..., positions, vocabulary] or [rows, vocabulary] of equal shape and floating dtypes
/// (checked). log-softmax and all sums in float64, the same bits on every SIMD target; memory for a
/// block of a row on each thread, and a few figures of every row; equal -inf on both sides adds
/// nothing.
[[nodiscard]] LogitsComparison compare_logits(Reference<tensor::TensorView> reference,
                                              Candidate<tensor::TensorView> candidate,
                                              const LogitsOptions& options);

}  // namespace parity::compare
