// Single elements of a tensor as numbers, for everything that is not speed-critical.
#pragma once

#include <cstdint>

#include "tensor/host_tensor.h"

namespace parity::tensor {

/// Exact value of component `flat` as float64; of a complex tensor components alternate real and
/// imaginary. int64 and uint64 beyond 2^53 are rounded to nearest.
[[nodiscard]] double value_at(const TensorView& tensor, std::uint64_t flat);

/// Elements, or twice as many for a complex tensor.
[[nodiscard]] std::uint64_t component_count(const TensorView& tensor);

}  // namespace parity::tensor
