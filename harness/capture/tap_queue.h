// Taps between the run and the consumer: in execution order at both ends, digested in between by as
// many threads as come to help. Knows neither what the taps mean nor where they go.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "run/tap.h"
#include "run/tap_stream.h"
#include "tensor/digest.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::capture {

/// `alone`: the consumer needs no values beside it, so that they may stay on the device.
enum class DigestWish : std::uint8_t { none, wanted, alone };

/// A tap whose copy is under way or done.
struct QueuedTap {
  run::TapId id;
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  std::size_t size_bytes = 0;
  DigestWish wish = DigestWish::none;
  std::size_t value_bytes = 0;  ///< of the buffer: all of the tap's, or none
  std::size_t sums_first = 0;   ///< where in the buffer the sums for the digest begin
  std::size_t sums_bytes = 0;   ///< 0: the digest is that of the values
  std::unique_ptr<run::HostBuffer> buffer;
  std::vector<std::unique_ptr<run::Transfer>> transfers;
  std::optional<tensor::Digest> digest;  ///< once digest_next() is through with a wanted one
};

/// Every function may be called from any thread.
class TapQueue {
 public:
  void push(QueuedTap tap);

  /// Waits for the oldest tap that nobody has taken, for its copy to end, and digests it if wanted.
  /// False when the queue is closed and nothing is left to take. Throws what the copy throws.
  [[nodiscard]] bool digest_next();

  /// Waits for the oldest tap to be digested and takes it out. nullptr when the queue is closed and
  /// empty, or was cleared.
  [[nodiscard]] std::shared_ptr<QueuedTap> pop();

  /// No tap will come any more.
  void close();

  /// Closes, and drops every tap that was not popped.
  void clear();

 private:
  enum class Stage : std::uint8_t { waiting, taken, ready };
  struct Entry {
    std::shared_ptr<QueuedTap> tap;
    Stage stage = Stage::waiting;
  };
  [[nodiscard]] Entry* oldest_waiting();
  [[nodiscard]] std::shared_ptr<QueuedTap> next_arrival();
  void mark_ready(const QueuedTap* tap);

  std::mutex arrival_;  ///< held by the thread that waits for the next copy: they arrive in order
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::condition_variable ready_;
  std::deque<Entry> entries_;  ///< oldest first
  bool closed_ = false;
};

}  // namespace parity::capture
