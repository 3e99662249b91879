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
  pushed_.notify_one();
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
  ready_.notify_all();
}

std::shared_ptr<QueuedTap> TapQueue::next_arrival() {
  // One thread at a time: more of them would only keep the device's driver busy, which the thread
  // that runs the model needs.
  const std::lock_guard arrival(arrival_);
  std::shared_ptr<QueuedTap> tap;
  {
    std::unique_lock lock(mutex_);
    Entry* entry = nullptr;
    pushed_.wait(lock, [&] { return (entry = oldest_waiting()) != nullptr || closed_; });
    if (entry == nullptr) return nullptr;
    entry->stage = Stage::taken;
    tap = entry->tap;
  }
  {
    const run::WorkSpan span("copy to host", tap->value_bytes + tap->sums_bytes);
    for (const std::unique_ptr<run::Transfer>& transfer : tap->transfers) transfer->wait();
  }
  return tap;
}

bool TapQueue::digest_next() {
  const std::shared_ptr<QueuedTap> tap = next_arrival();
  if (tap == nullptr) return false;
  if (tap->wish != DigestWish::none) {
    const run::WorkSpan span("digest", tap->size_bytes);
    const std::span<const std::byte> bytes = tap->buffer->bytes();
    tap->digest = tap->sums_bytes > 0
                      ? tensor::digest_of_sums(bytes.subspan(tap->sums_first, tap->sums_bytes),
                                               tap->size_bytes)
                      : tensor::digest_of(bytes.first(tap->size_bytes));
  }
  mark_ready(tap.get());
  return true;
}

std::shared_ptr<QueuedTap> TapQueue::pop() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock,
              [&] { return entries_.empty() ? closed_ : entries_.front().stage == Stage::ready; });
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
  pushed_.notify_all();
  ready_.notify_all();
}

void TapQueue::clear() {
  // Given up without the lock: a copy under way is waited for.
  std::deque<Entry> dropped;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    entries_.swap(dropped);
  }
  pushed_.notify_all();
  ready_.notify_all();
}

}  // namespace parity::capture
