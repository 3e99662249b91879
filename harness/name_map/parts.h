// A fused tensor and its parts: cuts along the last dimension, and puts together again.
// Knows bytes and shapes; whose names they have is not its business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/host_tensor.h"

namespace parity::name_map {

/// Why a tensor of `shape` is not made of parts with these last dimensions in `groups` blocks, as
/// part of a sentence: "its last dimension is 96, and the parts' are 64, 16, 32"; empty where it
/// is.
[[nodiscard]] std::string cannot_cut(const tensor::Shape& shape,
                                     const std::vector<std::int64_t>& widths, std::int64_t groups);

/// The parts of `whole`, which cannot_cut() has nothing against.
[[nodiscard]] std::vector<tensor::HostTensor> cut(const tensor::TensorView& whole,
                                                  const std::vector<std::int64_t>& widths,
                                                  std::int64_t groups);

/// Why these are no parts of one tensor: other dtypes, or other dimensions before the last; empty
/// where they are.
[[nodiscard]] std::string cannot_join(const std::vector<tensor::HostTensor>& parts,
                                      std::int64_t groups);

/// The tensor that they are parts of, in their order.
[[nodiscard]] tensor::HostTensor join(const std::vector<tensor::HostTensor>& parts,
                                      std::int64_t groups);

/// Whether both are as many rows of the same length, so that one can be seen as the other.
[[nodiscard]] bool same_rows(const tensor::Shape& one, const tensor::Shape& other);

}  // namespace parity::name_map
