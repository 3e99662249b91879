#include "capture/capture_stream.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "capture/buffer_pool.h"
#include "capture/tap_queue.h"
#include "error/error.h"
#include "run/timeline.h"

namespace parity::capture {
namespace {

/// One thread digests 4 to 10 GB/s, a device delivers up to 50; beyond eight, memory is the limit.
unsigned digest_threads() { return std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U); }

constexpr std::size_t kSumAlignment = 64;

}  // namespace

struct CaptureStream::State {
  State(run::HostAllocator& allocator, TapFilter& tap_filter, TapConsumer& tap_consumer,
        const RingOptions& options)
      : pool(allocator, options.capacity_bytes), filter(tap_filter), consumer(tap_consumer) {}

  void start();
  void consume_until_closed();
  void join();
  void stop();
  void fail(std::exception_ptr cause);
  [[nodiscard]] std::unique_ptr<run::HostBuffer> memory_of(std::size_t size_bytes);
  /// Begins with the sums for a tap's digest; false where the device gives none.
  [[nodiscard]] bool take_sums(const run::DeviceTensor& value, QueuedTap& tap);
  template <typename Work>
  void guarded(const Work& work);

  BufferPool pool;
  TapFilter& filter;
  TapConsumer& consumer;
  TapQueue queue;
  std::vector<run::SkippedTap> skipped;
  std::uint64_t tap_count = 0;

  mutable std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
};

void CaptureStream::State::fail(std::exception_ptr cause) {
  {
    const std::lock_guard lock(mutex);
    if (failure == nullptr) failure = std::move(cause);
  }
  pool.close();
  queue.clear();
}

/// What a thread throws is handed to the run's own thread by finish().
template <typename Work>
void CaptureStream::State::guarded(const Work& work) {
  try {
    work();
  } catch (...) {
    fail(std::current_exception());
  }
}

void CaptureStream::State::consume_until_closed() {
  while (const std::shared_ptr<QueuedTap> tap = queue.pop()) {
    run::WorkSpan span("consume", tap->size_bytes);
    if (run::keeps_timeline()) span.say(run::to_string(tap->id));
    std::span<const std::byte> bytes;
    if (tap->wish != DigestWish::alone) bytes = tap->buffer->bytes().first(tap->value_bytes);
    consumer.consume({tap->id, {tap->dtype, tap->shape, bytes}, tap->size_bytes, tap->digest});
    pool.release(std::move(tap->buffer));
  }
}

void CaptureStream::State::start() {
  threads.emplace_back([this] {
    run::name_timeline_lane("consumer");
    guarded([this] { consume_until_closed(); });
  });
  for (unsigned i = 0; i < digest_threads(); ++i) {
    threads.emplace_back([this] {
      run::name_timeline_lane("digest");
      guarded([this] {
        while (queue.digest_next()) {
        }
      });
    });
  }
}

void CaptureStream::State::stop() {
  queue.clear();
  pool.close();
  join();
}

void CaptureStream::State::join() {
  for (std::thread& thread : threads) thread.join();
  threads.clear();
}

CaptureStream::CaptureStream(run::HostAllocator& allocator, TapFilter& filter,
                             TapConsumer& consumer, const RingOptions& options)
    : state_(std::make_unique<State>(allocator, filter, consumer, options)) {
  try {
    state_->start();
  } catch (const std::system_error& error) {
    state_->stop();
    throw Error(ErrorKind::resource,
                std::string("cannot start the threads that take taps: ") + error.what());
  }
}

CaptureStream::~CaptureStream() { state_->stop(); }

std::unique_ptr<run::HostBuffer> CaptureStream::State::memory_of(std::size_t size_bytes) {
  const run::WorkSpan span("wait for the ring");
  std::unique_ptr<run::HostBuffer> buffer = pool.acquire(size_bytes);
  if (buffer == nullptr) {
    // The real cause waits in finish(); this only stops the run, whose own layers may rewrite the
    // message.
    throw Error(ErrorKind::resource, "the capture of taps has stopped");
  }
  return buffer;
}

bool CaptureStream::State::take_sums(const run::DeviceTensor& value, QueuedTap& tap) {
  const std::size_t sums_bytes = value.sums_bytes();
  if (sums_bytes == 0) return false;
  const std::size_t value_bytes = tap.wish == DigestWish::alone ? 0 : tap.size_bytes;
  const std::size_t first = (value_bytes + kSumAlignment - 1) / kSumAlignment * kSumAlignment;
  std::unique_ptr<run::HostBuffer> buffer = memory_of(first + sums_bytes);
  std::unique_ptr<run::Transfer> sums = value.start_sums(*buffer, first);
  if (sums == nullptr) {
    pool.release(std::move(buffer));
    return false;
  }
  tap.transfers.push_back(std::move(sums));
  tap.buffer = std::move(buffer);
  tap.value_bytes = value_bytes;
  tap.sums_first = first;
  tap.sums_bytes = sums_bytes;
  return true;
}

void CaptureStream::on_tap(const run::TapId& id, const run::DeviceTensor& value) {
  if (!state_->filter.keeps(id)) return;
  QueuedTap tap;
  tap.id = id;
  tap.dtype = value.dtype();
  tap.shape = value.shape();
  tap.size_bytes = value.size_bytes();
  tap.wish = state_->consumer.digest_wish(id);
  if (tap.wish == DigestWish::none || !state_->take_sums(value, tap)) {
    tap.value_bytes = tap.size_bytes;
    tap.buffer = state_->memory_of(tap.value_bytes);
  }
  if (tap.value_bytes > 0 || tap.sums_bytes == 0)
    tap.transfers.push_back(value.start_copy(*tap.buffer));
  ++state_->tap_count;
  state_->queue.push(std::move(tap));
}

void CaptureStream::on_skipped(const run::TapId& id, const std::string& reason) {
  if (state_->filter.keeps(id)) state_->skipped.push_back({id, reason});
}

void CaptureStream::finish() {
  state_->queue.close();
  state_->join();
  rethrow_failure();
}

void CaptureStream::rethrow_failure() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->failure != nullptr) std::rethrow_exception(state_->failure);
}

const std::vector<run::SkippedTap>& CaptureStream::skipped() const { return state_->skipped; }
std::uint64_t CaptureStream::tap_count() const { return state_->tap_count; }

}  // namespace parity::capture
