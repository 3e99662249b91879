// Row-major bytes of a tensor whatever its strides, in pieces of bounded size.
// Knows no dtype but its size, and never reads beside the storage.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/weights/state_dict.h"

namespace parity::model {

/// True when the elements already lie in row-major order without gaps.
[[nodiscard]] bool is_row_major(const StoredTensor& tensor);

/// Hands the row-major bytes to `take` piece by piece: the storage itself when it is row-major,
/// else copies of at most about 1 MiB.
void for_each_piece(const StoredTensor& tensor,
                    const std::function<void(std::span<const std::byte>)>& take);

}  // namespace parity::model
