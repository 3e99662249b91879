// Host buffers handed out under one byte budget and used again: pinning memory is slow, so it is
// done few times.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "run/tap_stream.h"

namespace parity::capture {

/// Thread-safe. The budget bounds buffers in use and idle ones together, except that a request
/// larger than the budget is served when nothing else is in use.
class BufferPool {
 public:
  BufferPool(run::HostAllocator& allocator, std::size_t capacity_bytes)
      : allocator_(allocator), capacity_bytes_(capacity_bytes) {}

  /// Waits for room. Returns nullptr once close() was called.
  [[nodiscard]] std::unique_ptr<run::HostBuffer> acquire(std::size_t size_bytes);
  void release(std::unique_ptr<run::HostBuffer> buffer);
  /// Wakes every waiter; nothing is handed out afterwards.
  void close();

 private:
  [[nodiscard]] std::unique_ptr<run::HostBuffer> take_idle(std::size_t size_bytes);
  void drop_idle_beyond(std::size_t bytes);

  run::HostAllocator& allocator_;
  const std::size_t capacity_bytes_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<std::unique_ptr<run::HostBuffer>> idle_;  ///< most recently released last
  std::size_t idle_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  bool closed_ = false;
};

}  // namespace parity::capture
