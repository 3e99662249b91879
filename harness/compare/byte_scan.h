// How far apart the bytes of a block are, by SIMD: whether a block of an 8-bit type can hold one of
// the worst elements. Knows the order of the values of each type and nothing of their figures.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace parity::compare {

struct ByteScan {
  bool same_bytes = true;
  bool maybe_one_sided = false;  ///< unequal bytes with NaN or Inf on a side
  std::uint8_t max_ulp = 0;      ///< over the pairs that are finite, and perhaps some others
};

/// `dtype` has one byte; both spans have the same size.
[[nodiscard]] ByteScan scan_bytes(tensor::DType dtype, std::span<const std::uint8_t> reference,
                                  std::span<const std::uint8_t> candidate);

}  // namespace parity::compare
