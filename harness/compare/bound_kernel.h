// Whether a block is inside the element bound altogether, by SIMD: the look-around that finds the
// few blocks worth reading.
#pragma once

#include <cstddef>
#include <span>

#include "compare/pair.h"
#include "tensor/dtype.h"

namespace parity::compare {

/// True only when every pair is inside, by the same float64 arithmetic as is_outside. False for
/// unequal bytes that are unaligned, that hold NaN or Inf, or that are no multiple of 8 elements.
[[nodiscard]] bool block_is_inside(tensor::DType dtype, std::span<const std::byte> reference,
                                   std::span<const std::byte> candidate,
                                   const AbsoluteBound& bound);

}  // namespace parity::compare
