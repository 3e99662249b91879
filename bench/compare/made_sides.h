// Two tensors of benchmark data: Gaussian values of a dtype, and the candidate's error of a named
// kind. Knows bit patterns alone, so that the same bytes come out on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace parity::bench {

/// The candidate's error. Integers: `one_ulp` is one step, `matmul_noise` a step in a few of a
/// hundred, `some_nan` is not for them.
enum class Data : std::uint8_t { identical, one_ulp, matmul_noise, some_nan, relu_noise };

struct Sides {
  std::vector<std::byte> reference;
  std::vector<std::byte> candidate;
};

/// `side_bytes` bytes on each side.
[[nodiscard]] Sides made_sides(tensor::DType dtype, Data data, std::size_t side_bytes);

/// Rows of a language model's logits: Gaussian of width 3, the candidate's off by 1e-3 in float32
/// and float64, in the 16-bit dtypes by 2e-2 and the rounding of both sides.
[[nodiscard]] Sides made_logits(tensor::DType dtype, std::size_t side_bytes);

}  // namespace parity::bench
