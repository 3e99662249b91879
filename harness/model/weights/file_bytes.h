// Bytes of a file or of one record of it, read-only, with what keeps them alive.
// Knows no format; every read from untrusted bytes is checked against what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace parity::model {

struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Maps the whole file read-only. Throws Error(model) when it is missing, a folder or not readable,
/// Error(resource) when the machine has no memory or file descriptor for it.
[[nodiscard]] FileBytes map_file(const std::filesystem::path& file);

/// The same bytes as characters.
[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes);

/// Little-endian unsigned integer of `size` bytes at `offset`. The caller has checked the range.
[[nodiscard]] std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t offset,
                                          std::size_t size);

/// True when `size` bytes at `offset` lie inside `bytes`; no combination of values overflows.
[[nodiscard]] bool holds(std::span<const std::byte> bytes, std::uint64_t offset,
                         std::uint64_t size);

}  // namespace parity::model
