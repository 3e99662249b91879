#include "capture/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace parity::capture {
namespace {

/// Sizes are rounded up so that taps of similar size share buffers: to a power of two below 1 MiB,
/// to 1 MiB above.
std::size_t rounded(std::size_t size_bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 20U;
  if (size_bytes < kStep) return std::bit_ceil(std::max<std::size_t>(size_bytes, 4096));
  return (size_bytes + kStep - 1) / kStep * kStep;
}

}  // namespace

std::unique_ptr<run::HostBuffer> BufferPool::take_idle(std::size_t size_bytes) {
  auto best = idle_.end();
  for (auto it = idle_.begin(); it != idle_.end(); ++it) {
    const std::size_t size = (*it)->bytes().size();
    // A buffer more than four times too large would let a few small taps use up the budget.
    if (size < size_bytes || size > 4 * size_bytes) continue;
    if (best == idle_.end() || size < (*best)->bytes().size()) best = it;
  }
  if (best == idle_.end()) return nullptr;
  std::unique_ptr<run::HostBuffer> buffer = std::move(*best);
  idle_.erase(best);
  idle_bytes_ -= buffer->bytes().size();
  return buffer;
}

void BufferPool::drop_idle_beyond(std::size_t bytes) {
  while (!idle_.empty() && idle_bytes_ > bytes) {
    idle_bytes_ -= idle_.front()->bytes().size();
    idle_.erase(idle_.begin());
  }
}

std::unique_ptr<run::HostBuffer> BufferPool::acquire(std::size_t size_bytes) {
  const std::size_t size = rounded(size_bytes);
  std::unique_lock lock(mutex_);
  room_.wait(lock,
             [&] { return closed_ || used_bytes_ == 0 || used_bytes_ + size <= capacity_bytes_; });
  if (closed_) return nullptr;
  std::unique_ptr<run::HostBuffer> buffer = take_idle(size);
  if (buffer == nullptr) {
    drop_idle_beyond(capacity_bytes_ > used_bytes_ + size ? capacity_bytes_ - used_bytes_ - size
                                                          : 0);
    buffer = allocator_.allocate(size);
  }
  used_bytes_ += buffer->bytes().size();
  return buffer;
}

void BufferPool::release(std::unique_ptr<run::HostBuffer> buffer) {
  {
    const std::lock_guard lock(mutex_);
    used_bytes_ -= buffer->bytes().size();
    idle_bytes_ += buffer->bytes().size();
    idle_.push_back(std::move(buffer));
    drop_idle_beyond(capacity_bytes_ > used_bytes_ ? capacity_bytes_ - used_bytes_ : 0);
  }
  room_.notify_all();
}

void BufferPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  room_.notify_all();
}

}  // namespace parity::capture
