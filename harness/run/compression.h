// How the values of a golden are packed. Plain data; who packs and unpacks is elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace parity::run {

/// Both lossless, both behind HDF5's byte shuffle.
enum class Packer : std::uint8_t { gzip, zstd };

struct Compression {
  Packer packer = Packer::gzip;
  int level = 1;  ///< from 1; gzip's up to 9, zstd's up to kMostZstdLevel

  bool operator==(const Compression&) const = default;
};

/// Higher ones of zstd need memory beyond all proportion to a chunk.
inline constexpr int kMostZstdLevel = 19;
inline constexpr int kMostGzipLevel = 9;

[[nodiscard]] constexpr bool is_possible(const Compression& compression) {
  const int most = compression.packer == Packer::gzip ? kMostGzipLevel : kMostZstdLevel;
  return compression.level >= 1 && compression.level <= most;
}

/// As --compress takes it: "3" for gzip, "zstd:1".
[[nodiscard]] inline std::string to_string(const Compression& compression) {
  const std::string level = std::to_string(compression.level);
  return compression.packer == Packer::gzip ? level : "zstd:" + level;
}

}  // namespace parity::run
