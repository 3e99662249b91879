#include "golden_store/read_ahead.h"

#include <new>
#include <span>
#include <system_error>

#include "golden_store/raw_memory.h"
#include "golden_store/read_at.h"
#include "run/timeline.h"

namespace parity::golden_store {
namespace {

ReadAhead::Bytes read(const Stretch& stretch) {
  const run::WorkSpan span("read ahead", stretch.size_bytes);
  try {
    ReadAhead::Bytes bytes = uninitialised(stretch.size_bytes);
    const std::span<std::byte> values(bytes.get(), stretch.size_bytes);
    const ReadEnd end = read_at(stretch.descriptor, stretch.offset, values);
    const bool whole = end.error == 0 && end.bytes == values.size();
    return whole && tensor::digest_of(values) == stretch.digest ? bytes : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ReadAhead::work() {
  run::name_timeline_lane("read ahead");
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
    } catch (const std::system_error&) {
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

}  // namespace parity::golden_store
