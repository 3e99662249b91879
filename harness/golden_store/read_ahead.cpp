#include "golden_store/read_ahead.h"

#include <atomic>
#include <exception>
#include <new>
#include <span>

#include "golden_store/read_at.h"
#include "golden_store/tap_memory.h"
#include "run/timeline.h"

namespace parity::golden_store {

/// One tap is read while the last one is in use, so that two memories serve taps of one size.
ReadAhead::Bytes ReadAhead::memory_of(std::size_t size_bytes) {
  for (Used& used : used_) {
    if (used.bytes == nullptr || used.bytes.use_count() != 1) continue;
    // Whoever had it last is done with it.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (size_bytes <= used.size_bytes && used.size_bytes / 2 <= size_bytes) return used.bytes;
    used = {};
  }
  Bytes bytes = uninitialised(size_bytes);
  for (Used& used : used_) {
    if (used.bytes != nullptr) continue;
    used = {bytes, size_bytes};
    break;
  }
  return bytes;
}

ReadAhead::Bytes ReadAhead::read(const Stretch& stretch) {
  try {
    const run::WorkSpan span("read ahead", stretch.size_bytes);
    Bytes bytes = memory_of(stretch.size_bytes);
    const std::span<std::byte> values(bytes.get(), stretch.size_bytes);
    const ReadEnd end = read_at(stretch.descriptor, stretch.offset, values);
    const bool whole = end.error == 0 && end.bytes == values.size();
    return whole && tensor::digest_of(values) == stretch.digest ? bytes : nullptr;
  } catch (const std::exception&) {
    return nullptr;  // the usual way meets the same, and says so
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ReadAhead::work() {
  try {
    run::name_timeline_lane("read ahead");
  } catch (const std::bad_alloc&) {
    // A lane without a name.
  }
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ended_ || asked_.has_value(); });
    if (ended_) return;
    const Stretch stretch = *asked_;
    lock.unlock();
    Bytes bytes = read(stretch);
    lock.lock();
    bytes_ = std::move(bytes);
    asked_.reset();
    changed_.notify_all();
  }
}

void ReadAhead::start(const Key& key, const Stretch& stretch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !asked_; });
  key_.reset();
  bytes_.reset();
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::exception&) {
      return;  // no thread to be had: the tap is read when it is asked for
    }
  }
  key_ = key;
  asked_ = stretch;
  changed_.notify_all();
}

ReadAhead::Bytes ReadAhead::take(const Key& key) {
  std::unique_lock lock(mutex_);
  if (key_ != key) return nullptr;
  changed_.wait(lock, [this] { return !asked_; });
  key_.reset();
  return std::move(bytes_);
}

void ReadAhead::release() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !asked_; });
  key_.reset();
  bytes_.reset();
  used_ = {};
}

}  // namespace parity::golden_store
