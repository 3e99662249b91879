// Memory for the values of a tap.
#pragma once

#include <cstddef>
#include <memory>

namespace parity::golden_store {

/// Memory that a read fills: not a vector, which would fill it with zeros first, and large blocks
/// in huge pages, because page faults cost more than the copy and the digest together.
[[nodiscard]] std::shared_ptr<std::byte> uninitialised(std::size_t size_bytes);

}  // namespace parity::golden_store
