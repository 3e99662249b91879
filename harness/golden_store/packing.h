// One piece of a tensor packed without loss, and unpacked from a file that may lie.
// Knows no HDF5, no shape and no thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/compression.h"

namespace parity::golden_store {

/// Deflate cannot expand more, and zstd does not here; who claims more wants to exhaust memory.
inline constexpr std::uint64_t kMaxExpansion = 1032;

/// Zlib's format for gzip; for zstd one frame, and behind it, where it would be smaller than a
/// kMaxExpansion-th, one that readers skip. Throws Error(resource) where there is no memory.
[[nodiscard]] std::vector<std::byte> packed(std::span<const std::byte> bytes,
                                            const run::Compression& compression);

/// Fills `bytes` exactly from what packed() made; false for anything else.
[[nodiscard]] bool unpack(std::span<const std::byte> packed, run::Packer packer,
                          std::span<std::byte> bytes);

}  // namespace parity::golden_store
