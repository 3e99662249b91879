// Memory for the values of a tap, which is filled by a read, compared and freed before the next one
// of many.
#pragma once

#include <cstddef>
#include <memory>

namespace parity::golden_store {

/// As many bytes of any content, aligned for every element type. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> uninitialised(std::size_t size_bytes);

}  // namespace parity::golden_store
