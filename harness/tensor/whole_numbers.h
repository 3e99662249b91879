// Tensors of token ids, masks and the like as numbers.
// Floating types are refused, even where every value is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/host_tensor.h"

namespace parity::tensor {

/// The elements of an int64, int32, uint8 or bool tensor, row-major; nullopt for every other dtype.
[[nodiscard]] std::optional<std::vector<std::int64_t>> whole_numbers(const HostTensor& tensor);

}  // namespace parity::tensor
