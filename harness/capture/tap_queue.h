// Taps between the run and the consumer: in execution order at both ends, digested in between by as
// many threads as come to help. Knows neither what the taps mean nor where they go.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

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
  std::size_t sums_bytes = 0;  ///< not 0: the buffer has the tap's sums instead of its values
  std::unique_ptr<run::HostBuffer> buffer;
  std::unique_ptr<run::Transfer> transfer;
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
  void mark_ready(const QueuedTap* tap);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;  ///< oldest first
  bool closed_ = false;
};

}  // namespace parity::capture
