// The first 512 bytes of a golden: what it is, which version, how long, and the digest of
// everything after them. Knows bytes only; HDF5 skips this block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tensor/digest.h"

namespace parity::golden_store {

inline constexpr std::size_t kUserBlockBytes = 512;
inline constexpr std::uint32_t kMajorVersion = 1;  ///< readers refuse another one
inline constexpr std::uint32_t kMinorVersion =
    3;  ///< only adds; readers ignore what they do not know

using UserBlockBytes = std::array<std::byte, kUserBlockBytes>;

struct UserBlock {
  std::uint32_t major = kMajorVersion;
  std::uint32_t minor = kMinorVersion;
  std::uint64_t body_bytes = 0;  ///< file size without the user block
  tensor::Digest body_digest;
};

[[nodiscard]] UserBlockBytes encode(const UserBlock& block);

/// True when the first bytes of a file are those of a golden, of whatever version and however
/// damaged behind them.
[[nodiscard]] bool begins_as_golden(std::span<const std::byte> bytes);

/// Throws Malformed with what is wrong: no golden, HDF5 but no golden, unfinished, altered, another
/// major version.
[[nodiscard]] UserBlock decode_user_block(std::span<const std::byte> bytes);

}  // namespace parity::golden_store
