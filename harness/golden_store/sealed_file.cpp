#include "golden_store/sealed_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "error/error.h"
#include "golden_store/errno_kind.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/read_at.h"

namespace parity::golden_store {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1}
                                   << 20U;  // fits a core's cache: the digest reads it from there

[[noreturn]] void throw_unreadable(const std::string& what, int error) {
  throw Error(kind_of_errno(error),
              fmt::format("cannot read {}: {}", what, std::generic_category().message(error)));
}

/// Up to buffer.size() bytes; fewer at the end of the file.
std::size_t read_at(const Descriptor& file, std::uint64_t offset, std::span<std::byte> buffer) {
  const ReadEnd end = golden_store::read_at(file.number(), offset, buffer);
  if (end.error != 0) throw_unreadable("the golden", end.error);
  return end.bytes;
}

std::uint64_t little_endian_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;)
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[offset + i]);
  return value;
}

bool holds_text(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Known ways to crash the HDF5 library start from old file layouts. Our writer makes one layout
/// only: a version 3 superblock of 8-byte offsets without extension, then a checksummed version 2
/// header of the root group.
void check_superblock(const Descriptor& file, std::uint64_t size_bytes) {
  static constexpr std::string_view kStart = "\x89HDF\r\n\x1a\n\x03\x08\x08";
  constexpr std::size_t kSuperblockBytes = 48;
  std::array<std::byte, kSuperblockBytes> block{};
  const bool complete = read_at(file, kUserBlockBytes, block) == block.size();
  if (!complete || !holds_text(block, kStart))
    throw Malformed("its body is not the HDF5 layout of a golden");
  if (block[11] != std::byte{0})
    throw Malformed("another program has it, or had it, open for writing");
  const std::uint64_t base = little_endian_at(block, 12);
  const std::uint64_t extension = little_endian_at(block, 20);
  const std::uint64_t end = little_endian_at(block, 28);
  const std::uint64_t root = little_endian_at(block, 36);
  std::array<std::byte, 5> header{};
  if (base != kUserBlockBytes || extension != UINT64_MAX || end != size_bytes ||
      root >= size_bytes || read_at(file, base + root, header) != header.size() ||
      !holds_text(header, "OHDR\x02")) {
    throw Malformed("its body is not the HDF5 layout of a golden");
  }
}

Descriptor open_regular(const std::filesystem::path& path, struct stat& status) {
  // Without O_NONBLOCK a pipe in the file's place would block for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    throw_unreadable(path.string(), errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::store, fmt::format("cannot read {}: it is not a file", path.string()));
  }
  return file;
}

}  // namespace

tensor::Digest digest_of_range(const Descriptor& file, std::uint64_t offset,
                               std::uint64_t size_bytes) {
  std::vector<std::byte> buffer(kReadBytes);
  tensor::DigestStream digest;
  while (size_bytes > 0) {
    const std::span<std::byte> piece(buffer.data(),
                                     std::min<std::uint64_t>(buffer.size(), size_bytes));
    if (read_at(file, offset, piece) != piece.size())
      throw Malformed("it became shorter while it was read");
    digest.update(piece);
    offset += piece.size();
    size_bytes -= piece.size();
  }
  return digest.finish();
}

SealedFile::SealedFile(const std::filesystem::path& path) : SealedFile(path, {}) {}

SealedFile::SealedFile(const std::filesystem::path& path, struct stat status)
    : file_(open_regular(path, status)), size_bytes_(static_cast<std::uint64_t>(status.st_size)) {
  UserBlockBytes start{};
  const std::size_t count = read_at(file_, 0, start);
  seal_ = decode_user_block(std::span<const std::byte>(start).first(count));
  const std::uint64_t body_bytes = size_bytes_ - kUserBlockBytes;
  if (seal_.body_bytes != body_bytes) {
    throw Malformed(fmt::format("it has {} bytes where {} were written", size_bytes_,
                                seal_.body_bytes + kUserBlockBytes));
  }
  ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  if (digest_of_range(file_, kUserBlockBytes, body_bytes) != seal_.body_digest) {
    throw Malformed("its bytes were altered since it was written (the digest differs)");
  }
  check_superblock(file_, size_bytes_);
}

}  // namespace parity::golden_store
