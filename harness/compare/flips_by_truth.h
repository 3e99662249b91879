// Of the positions where two runs choose differently: which of them is right?
// Looks at positions with different choices alone, and never at how the truth was made.
#pragma once

#include "compare/compare_logits.h"
#include "compare/logits_facts.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// Logits of equal shape and floating dtypes (checked), as compare_logits takes them.
[[nodiscard]] FlipsByTruth flips_by_truth(Reference<tensor::TensorView> reference,
                                          Candidate<tensor::TensorView> candidate,
                                          const tensor::TensorView& truth,
                                          const LogitsOptions& options);

}  // namespace parity::compare
