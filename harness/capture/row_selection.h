// The part of a tap that a golden of mode rows keeps.
// Knows shapes and bytes; which rows are kept is decided by whoever calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/host_tensor.h"

namespace parity::capture {

/// Number of rows of a tensor: elements / last dimension; 1 for 0-dim, 0 for an empty tensor.
[[nodiscard]] std::int64_t row_count(const tensor::Shape& shape);

/// Copies the rows `rows` (each < row_count) one after the other.
[[nodiscard]] std::vector<std::byte> select_rows(const tensor::TensorView& value,
                                                 const std::vector<std::int64_t>& rows);

}  // namespace parity::capture
