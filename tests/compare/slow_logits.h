// A comparison of logits that is written down as the documentation says it, in long double and
// without any concern for speed: what the fast one is held against.
#pragma once

#include "compare/logits_facts.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// All figures of compare_logits but the quantiles other than mean and maximum, with its default
/// options.
[[nodiscard]] LogitsComparison slow_logits(Reference<tensor::TensorView> reference,
                                           Candidate<tensor::TensorView> candidate);

}  // namespace parity::compare
