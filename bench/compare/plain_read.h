// Reads two buffers side by side and does as little as can be done with them: the ceiling of any
// comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parity::bench {

/// Sum of all 64-bit words of both, with the widest vectors of the machine. Sizes are equal
/// multiples of 4096.
[[nodiscard]] std::uint64_t read_both(std::span<const std::byte> left,
                                      std::span<const std::byte> right);

}  // namespace parity::bench
