// Compares two tensors element by element: a pure function of two spans, with no judgement in it.
// Knows no layer, no bound and no file; the same bytes give the same facts on every machine.
#pragma once

#include "compare/element_bound.h"
#include "compare/facts.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

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
