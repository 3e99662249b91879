// The values of a tensor as float64 that can be changed and written back in the tensor's dtype.
// Knows no fault.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tensor/host_tensor.h"

namespace parity::fault {

/// How many numbers a tensor holds: its elements, two for each complex one.
[[nodiscard]] std::size_t number_count(const tensor::TensorView& tensor);

[[nodiscard]] double number_at(const tensor::TensorView& tensor, std::size_t place);

/// Looks at or changes a block of numbers; the first one has the place `first`.
using Look = std::function<void(std::span<const double>, std::size_t first)>;
using Change = std::function<void(std::span<double>, std::size_t first)>;

/// In order, in blocks whose size depends on nothing.
void each_block(const tensor::TensorView& tensor, const Look& look);

/// A copy of the tensor as `change` leaves it: rounded to nearest even, past the dtype's range Inf
/// or the largest number, and the bits of what is not changed as they were.
[[nodiscard]] tensor::HostTensor changed(const tensor::TensorView& tensor, const Change& change);

/// The same with one number replaced.
[[nodiscard]] tensor::HostTensor with_number(const tensor::TensorView& tensor, std::size_t place,
                                             double value);

/// The same values in another dtype, real for real and complex for complex.
[[nodiscard]] tensor::HostTensor converted(const tensor::TensorView& tensor, tensor::DType dtype);

/// Root mean square of the finite numbers; 0 where there is none.
[[nodiscard]] double rms_of(const tensor::TensorView& tensor);

/// What the dtype makes of a value, see changed().
[[nodiscard]] double rounded_to(tensor::DType dtype, double value);

}  // namespace parity::fault
