#include "capture/tap_queue.h"

#include <algorithm>
#include <utility>

#include "run/timeline.h"
#include "tensor/block_digest.h"

namespace parity::capture {

void TapQueue::push(QueuedTap tap) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({std::make_shared<QueuedTap>(std::move(tap)), Stage::waiting});
  }
  changed_.notify_all();
}

TapQueue::Entry* TapQueue::oldest_waiting() {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [](const Entry& entry) { return entry.stage == Stage::waiting; });
  return found == entries_.end() ? nullptr : &*found;
}

/// A cleared queue holds the tap no longer.
void TapQueue::mark_ready(const QueuedTap* tap) {
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.tap.get() == tap) entry.stage = Stage::ready;
    }
  }
  changed_.notify_all();
}

bool TapQueue::digest_next() {
  std::shared_ptr<QueuedTap> tap;
  {
    std::unique_lock lock(mutex_);
    Entry* entry = nullptr;
    changed_.wait(lock, [&] { return (entry = oldest_waiting()) != nullptr || closed_; });
    if (entry == nullptr) return false;
    entry->stage = Stage::taken;
    tap = entry->tap;
  }
  {
    const run::WorkSpan span("copy to host",
                             tap->sums_bytes > 0 ? tap->sums_bytes : tap->size_bytes);
    tap->transfer->wait();
  }
  if (tap->wish != DigestWish::none) {
    const run::WorkSpan span("digest", tap->size_bytes);
    tap->digest =
        tap->sums_bytes > 0
            ? tensor::digest_of_sums(tap->buffer->bytes().first(tap->sums_bytes), tap->size_bytes)
            : tensor::digest_of(tap->buffer->bytes().first(tap->size_bytes));
  }
  mark_ready(tap.get());
  return true;
}

std::shared_ptr<QueuedTap> TapQueue::pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [&] { return entries_.empty() ? closed_ : entries_.front().stage == Stage::ready; });
  if (entries_.empty()) return nullptr;
  std::shared_ptr<QueuedTap> tap = std::move(entries_.front().tap);
  entries_.pop_front();
  return tap;
}

void TapQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

void TapQueue::clear() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    entries_.clear();
  }
  changed_.notify_all();
}

}  // namespace parity::capture
