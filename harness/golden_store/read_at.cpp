#include "golden_store/read_at.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

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

/// Half of the processors: the others compare what was read before.
std::size_t thread_count(std::size_t size_bytes) {
  constexpr std::size_t kWorthAThread = std::size_t{4} << 20U;
  constexpr std::size_t kMost = 8;
  const std::size_t half = std::thread::hardware_concurrency() / 2;
  return std::clamp<std::size_t>(std::min(half, size_bytes / kWorthAThread), 1, kMost);
}

}  // namespace

ReadEnd read_at(int descriptor, std::uint64_t offset, std::span<std::byte> buffer) {
  const std::size_t parts = thread_count(buffer.size());
  if (parts == 1) return read_alone(descriptor, offset, buffer);
  constexpr std::size_t kPage = 4096;
  const std::size_t part_bytes = (buffer.size() / parts + kPage) / kPage * kPage;
  std::vector<ReadEnd> ends(parts);
  const auto read_part = [&](std::size_t part) {
    const std::size_t first = std::min(part * part_bytes, buffer.size());
    ends[part] = read_alone(descriptor, offset + first,
                            buffer.subspan(first, std::min(part_bytes, buffer.size() - first)));
  };
  std::vector<std::thread> threads;
  std::size_t part = 1;
  try {
    for (; part < parts; ++part) threads.emplace_back(read_part, part);
  } catch (const std::system_error&) {
    // Without another thread this one reads what is left.
  }
  for (; part < parts; ++part) read_part(part);
  read_part(0);
  for (std::thread& thread : threads) thread.join();
  ReadEnd whole;
  for (const ReadEnd& end : ends) {
    if (end.error != 0) return end;
    whole.bytes += end.bytes;
    if (end.bytes < part_bytes) break;  // the file's end, or the buffer's
  }
  return whole;
}

}  // namespace parity::golden_store
