#include "golden_store/user_block.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "golden_store/hdf5_guard.h"

namespace parity::golden_store {
namespace {

// As PNG does it: a line end and an end-of-file byte show what a text-mode copy did to the file.
constexpr std::string_view kMagic = "parity golden\r\n\x1a";
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kMajorAt = 16;
constexpr std::size_t kMinorAt = 20;
constexpr std::size_t kBodyBytesAt = 24;
constexpr std::size_t kBodyDigestAt = 32;
constexpr std::size_t kOwnDigestAt = 48;
constexpr std::size_t kPaddingAt = 64;
static_assert(kMagic.size() == kMajorAt);

void put_little_endian(std::span<std::byte> place, std::uint64_t value) {
  for (std::byte& byte : place) {
    byte = static_cast<std::byte>(value & 0xffU);
    value >>= 8U;
  }
}

std::uint64_t little_endian(std::span<const std::byte> place) {
  std::uint64_t value = 0;
  for (std::size_t i = place.size(); i-- > 0;)
    value = value << 8U | std::to_integer<std::uint64_t>(place[i]);
  return value;
}

void put_digest(std::span<std::byte> place, const tensor::Digest& digest) {
  std::transform(digest.bytes.begin(), digest.bytes.end(), place.begin(),
                 [](std::uint8_t byte) { return static_cast<std::byte>(byte); });
}

tensor::Digest digest_at(std::span<const std::byte> place) {
  tensor::Digest digest;
  std::transform(place.begin(), place.begin() + 16, digest.bytes.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return digest;
}

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, std::byte byte) { return static_cast<std::byte>(c) == byte; });
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

UserBlockBytes encode(const UserBlock& block) {
  UserBlockBytes bytes{};
  const std::span<std::byte> all(bytes);
  std::transform(kMagic.begin(), kMagic.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  put_little_endian(all.subspan(kMajorAt, 4), block.major);
  put_little_endian(all.subspan(kMinorAt, 4), block.minor);
  put_little_endian(all.subspan(kBodyBytesAt, 8), block.body_bytes);
  put_digest(all.subspan(kBodyDigestAt, 16), block.body_digest);
  put_digest(all.subspan(kOwnDigestAt, 16), tensor::digest_of(all.first(kOwnDigestAt)));
  return bytes;
}

bool begins_as_golden(std::span<const std::byte> bytes) { return starts_with(bytes, kMagic); }

UserBlock decode_user_block(std::span<const std::byte> bytes) {
  if (bytes.empty()) throw Malformed("the file is empty");
  if (starts_with(bytes, kHdf5Signature)) {
    throw Malformed("it is an HDF5 file, but none that `parity record` wrote");
  }
  if (bytes.size() == kUserBlockBytes && all_zero(bytes))
    throw Malformed("its writer never finished it");
  if (!starts_with(bytes, kMagic)) throw Malformed("it does not begin as a golden does");
  if (bytes.size() < kUserBlockBytes)
    throw Malformed(fmt::format("it is cut off after {} bytes", bytes.size()));
  const tensor::Digest own = tensor::digest_of(bytes.first(kOwnDigestAt));
  if (own != digest_at(bytes.subspan(kOwnDigestAt, 16)) || !all_zero(bytes.subspan(kPaddingAt))) {
    throw Malformed("its first 512 bytes were altered");
  }
  UserBlock block;
  block.major = static_cast<std::uint32_t>(little_endian(bytes.subspan(kMajorAt, 4)));
  block.minor = static_cast<std::uint32_t>(little_endian(bytes.subspan(kMinorAt, 4)));
  block.body_bytes = little_endian(bytes.subspan(kBodyBytesAt, 8));
  block.body_digest = digest_at(bytes.subspan(kBodyDigestAt, 16));
  if (block.major != kMajorVersion) {
    throw Malformed(fmt::format("it has format version {}.{} and this parity reads version {}",
                                block.major, block.minor, kMajorVersion));
  }
  return block;
}

}  // namespace parity::golden_store
