// Faults of addressing: right values at wrong places. Elements are moved as they are, bit by bit,
// so that every statistic of the values alone stays what it was. Knows no dtype's arithmetic.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/host_tensor.h"

namespace parity::fault {

/// Rows of a tensor: the last dimension is one.
struct Rows {
  std::size_t count = 0;
  std::size_t width = 0;  ///< elements
};
[[nodiscard]] Rows rows_of(const tensor::Shape& shape);

/// A copy whose element at a place is that of `tensor` at `source(place)`.
[[nodiscard]] tensor::HostTensor gathered(const tensor::TensorView& tensor,
                                          const std::function<std::size_t(std::size_t)>& source);

/// Every element has the value of the one before it.
[[nodiscard]] tensor::HostTensor shifted(const tensor::TensorView& tensor);
/// Every row has the values of the row before it: for logits, those of another position.
[[nodiscard]] tensor::HostTensor rows_shifted(const tensor::TensorView& tensor);
[[nodiscard]] tensor::HostTensor rows_swapped(const tensor::TensorView& tensor, std::size_t one,
                                              std::size_t other);
/// The same values in an order without order, the same each time.
[[nodiscard]] tensor::HostTensor permuted(const tensor::TensorView& tensor);
/// The last two dimensions exchanged and read as the old shape.
[[nodiscard]] tensor::HostTensor transposed(const tensor::TensorView& tensor);

}  // namespace parity::fault
