// Compares two tensors element by element: a pure function of two spans, with no judgement in it.
#pragma once

#include "compare/facts.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// An element is outside when !(abs(c-r) <= relative * abs(r) + of_rms * rms(reference)).
struct ElementBound {
  double relative = 0;
  double of_rms = 0;
};

struct CompareOptions {
  ElementBound element_bound;
  int worst_count = 10;
  int threads = 1;  ///< changes the speed only, never a bit of the result
};

/// Shapes must be equal (checked); dtypes may differ, then both are read as float64 and ulp is that
/// of the coarser. Complex tensors are compared by component (a trailing dimension of 2 in
/// indices).
[[nodiscard]] TensorComparison compare_tensors(Reference<tensor::TensorView> reference,
                                               Candidate<tensor::TensorView> candidate,
                                               const CompareOptions& options);

}  // namespace parity::compare
