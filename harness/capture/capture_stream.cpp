#include "capture/capture_stream.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "capture/buffer_pool.h"
#include "error/error.h"

namespace parity::capture {
namespace {

/// A tap whose copy is under way or done.
struct Pending {
  run::TapId id;
  tensor::DType dtype;
  tensor::Shape shape;
  std::size_t size_bytes;
  std::unique_ptr<run::HostBuffer> buffer;
  std::unique_ptr<run::Transfer> transfer;
};

}  // namespace

struct CaptureStream::State {
  State(run::HostAllocator& allocator, TapFilter& tap_filter, TapConsumer& tap_consumer,
        const RingOptions& options)
      : pool(allocator, options.capacity_bytes), filter(tap_filter), consumer(tap_consumer) {}

  void consume_until_closed();
  void consume_one(Pending& tap);
  void fail(std::exception_ptr cause);

  BufferPool pool;
  TapFilter& filter;
  TapConsumer& consumer;
  std::vector<run::SkippedTap> skipped;
  std::uint64_t tap_count = 0;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Pending> queue;
  bool closed = false;
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  std::thread thread;
};

void CaptureStream::State::fail(std::exception_ptr cause) {
  {
    const std::lock_guard lock(mutex);
    if (failure == nullptr) failure = std::move(cause);
    queue.clear();
  }
  failed = true;
  pool.close();
}

void CaptureStream::State::consume_one(Pending& tap) {
  tap.transfer->wait();
  const std::span<const std::byte> bytes = tap.buffer->bytes().first(tap.size_bytes);
  consumer.consume(tap.id, {tap.dtype, tap.shape, bytes});
  pool.release(std::move(tap.buffer));
}

void CaptureStream::State::consume_until_closed() {
  while (true) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return closed || !queue.empty(); });
    if (queue.empty()) return;
    Pending tap = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    try {
      consume_one(tap);
    } catch (...) {  // handed to the run's own thread by finish()
      fail(std::current_exception());
      return;
    }
  }
}

CaptureStream::CaptureStream(run::HostAllocator& allocator, TapFilter& filter,
                             TapConsumer& consumer, const RingOptions& options)
    : state_(std::make_unique<State>(allocator, filter, consumer, options)) {
  state_->thread = std::thread([state = state_.get()] { state->consume_until_closed(); });
}

CaptureStream::~CaptureStream() {
  if (!state_->thread.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->queue.clear();
    state_->closed = true;
  }
  state_->pool.close();
  state_->changed.notify_all();
  state_->thread.join();
}

void CaptureStream::on_tap(const run::TapId& id, const run::DeviceTensor& value) {
  if (!state_->filter.keeps(id)) return;
  std::unique_ptr<run::HostBuffer> buffer = state_->pool.acquire(value.size_bytes());
  if (buffer == nullptr) {
    // The real cause waits in finish(); this only stops the run, whose own layers may rewrite the
    // message.
    throw Error(ErrorKind::resource, "the capture of taps has stopped");
  }
  std::unique_ptr<run::Transfer> transfer = value.start_copy(*buffer);
  ++state_->tap_count;
  {
    const std::lock_guard lock(state_->mutex);
    state_->queue.push_back({id, value.dtype(), value.shape(), value.size_bytes(),
                             std::move(buffer), std::move(transfer)});
  }
  state_->changed.notify_one();
}

void CaptureStream::on_skipped(const run::TapId& id, const std::string& reason) {
  if (state_->filter.keeps(id)) state_->skipped.push_back({id, reason});
}

void CaptureStream::finish() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
  rethrow_failure();
}

void CaptureStream::rethrow_failure() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->failure != nullptr) std::rethrow_exception(state_->failure);
}

const std::vector<run::SkippedTap>& CaptureStream::skipped() const { return state_->skipped; }
std::uint64_t CaptureStream::tap_count() const { return state_->tap_count; }

}  // namespace parity::capture
