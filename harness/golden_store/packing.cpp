#include "golden_store/packing.h"

#include <array>
#include <string>

#include <zlib.h>
#include <zstd.h>

#include "error/error.h"

namespace parity::golden_store {
namespace {

/// A skippable frame: this number and the count of bytes behind it, both little-endian (RFC 8878,
/// 3.1.2).
constexpr std::array<unsigned char, 4> kSkippableMagic = {0x50, 0x2a, 0x4d, 0x18};
constexpr std::size_t kSkippableHead = 8;

void pad(std::vector<std::byte>& packed, std::size_t least) {
  if (packed.size() >= least) return;
  const std::size_t room = least - packed.size();
  const std::size_t filler = room > kSkippableHead ? room - kSkippableHead : 0;
  for (const unsigned char byte : kSkippableMagic) packed.push_back(std::byte{byte});
  for (unsigned shift = 0; shift < 32; shift += 8)
    packed.push_back(static_cast<std::byte>(filler >> shift));
  packed.resize(packed.size() + filler);
}

std::vector<std::byte> packed_zstd(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0)
    throw Error(ErrorKind::resource, std::string("zstd failed: ") + ZSTD_getErrorName(size));
  packed.resize(size);
  pad(packed, bytes.size() / kMaxExpansion + 1);
  return packed;
}

/// zlib counts in unsigned long and takes bytes as unsigned char.
std::vector<std::byte> packed_gzip(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> packed(compressBound(bytes.size()));
  uLongf size = packed.size();
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
  if (result != Z_OK)
    throw Error(ErrorKind::resource, std::string("zlib failed: ") + zError(result));
  packed.resize(size);
  return packed;
}

bool unpack_gzip(std::span<const std::byte> packed, std::span<std::byte> bytes) {
  uLongf size = bytes.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  return result == Z_OK && size == bytes.size();
}

}  // namespace

std::vector<std::byte> packed(std::span<const std::byte> bytes,
                              const run::Compression& compression) {
  return compression.packer == run::Packer::gzip ? packed_gzip(bytes, compression.level)
                                                 : packed_zstd(bytes, compression.level);
}

bool unpack(std::span<const std::byte> packed, run::Packer packer, std::span<std::byte> bytes) {
  if (packer == run::Packer::gzip) return unpack_gzip(packed, bytes);
  return ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size()) == bytes.size();
}

}  // namespace parity::golden_store
