#include "golden_store/read_at.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <thread>

#include <unistd.h>

namespace parity::golden_store {
namespace {

ReadEnd read_alone(int descriptor, std::uint64_t offset, std::span<std::byte> buffer) {
  ReadEnd end;
  while (end.bytes < buffer.size()) {
    const ssize_t count = ::pread(descriptor, buffer.data() + end.bytes, buffer.size() - end.bytes,
                                  static_cast<off_t>(offset + end.bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {0, errno};
    if (count == 0) break;
    end.bytes += static_cast<std::size_t>(count);
  }
  return end;
}

constexpr std::size_t kMostParts = 8;

/// Half of the processors: the others compare what was read before.
std::size_t part_count(std::size_t size_bytes) {
  constexpr std::size_t kWorthAThread = std::size_t{4} << 20U;
  const std::size_t half = std::thread::hardware_concurrency() / 2;
  return std::min(half, size_bytes / kWorthAThread);
}

}  // namespace

ReadEnd read_at(int descriptor, std::uint64_t offset, std::span<std::byte> buffer) noexcept {
  return read_in_parts(descriptor, offset, buffer, part_count(buffer.size()));
}

ReadEnd read_in_parts(int descriptor, std::uint64_t offset, std::span<std::byte> buffer,
                      std::size_t parts) noexcept {
  parts = std::clamp<std::size_t>(parts, 1, kMostParts);
  if (parts == 1) return read_alone(descriptor, offset, buffer);
  constexpr std::size_t kPage = 4096;
  const std::size_t part_bytes = (buffer.size() / parts + kPage) / kPage * kPage;
  std::array<ReadEnd, kMostParts> ends;
  const auto read_part = [&](std::size_t part) {
    const std::size_t first = std::min(part * part_bytes, buffer.size());
    ends.at(part) = read_alone(descriptor, offset + first,
                               buffer.subspan(first, std::min(part_bytes, buffer.size() - first)));
  };
  std::array<std::thread, kMostParts> threads;
  std::size_t part = 1;
  try {
    for (; part < parts; ++part) threads.at(part) = std::thread(read_part, part);
  } catch (const std::exception&) {
    // Without another thread, or memory for one, this one reads what is left.
  }
  for (; part < parts; ++part) read_part(part);
  read_part(0);
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  ReadEnd whole;
  for (std::size_t k = 0; k < parts; ++k) {
    if (ends.at(k).error != 0) return ends.at(k);
    whole.bytes += ends.at(k).bytes;
    if (ends.at(k).bytes < part_bytes) break;  // the file's end, or the buffer's
  }
  return whole;
}

}  // namespace parity::golden_store
