// Shapes and multi-indices of tensors in row-major (C) order.
// Knows no strides: everything here lies in memory without gaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::tensor {

/// Sizes of the dimensions, outermost first. Empty means 0-dim: one element.
using Shape = std::vector<std::int64_t>;

/// Number of elements; 1 for a 0-dim tensor, 0 when any dimension is 0.
/// Throws Error(incompatible) when a size is negative or the product passes 2^62.
[[nodiscard]] std::uint64_t element_count(const Shape& shape);

/// "4x128x256", "scalar" for 0-dim.
[[nodiscard]] std::string to_string(const Shape& shape);

/// Multi-index of the flat row-major position `flat`.
[[nodiscard]] std::vector<std::int64_t> unravel(std::uint64_t flat, const Shape& shape);

}  // namespace parity::tensor
