// How far a tensor is from a more precise one, in the two figures that the rule of the truth needs.
// All metrics of compare_tensors() cost tens of times as much here, since every pair is millions of
// ulp of the finer dtype apart.
#pragma once

#include <cstdint>

#include "tensor/host_tensor.h"

namespace parity::compare {

/// Of compare_tensors(Reference{truth}, Candidate{side}), in one pass.
struct Distance {
  std::uint64_t one_sided = 0;  ///< pairs with NaN or Inf on one side alone, or Inf of other signs
  double nrmse = 0;
  double max_error_over_rms = 0;
};

/// Shapes must be equal, and both real or both complex (checked). Sums in float64.
[[nodiscard]] Distance distance_to(const tensor::TensorView& truth, const tensor::TensorView& side);

}  // namespace parity::compare
