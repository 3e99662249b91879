// Structs out of the bytes of a file that may be shorter than it says. Knows no format.
// Copies, since nothing in a file need be aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace parity::host {

/// A plain struct or number at `offset`; nullopt when it does not fit.
template <class Plain>
[[nodiscard]] std::optional<Plain> at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Plain)) return std::nullopt;
  Plain value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace parity::host
