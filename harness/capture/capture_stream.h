// Streams taps from a running model to a consumer on a thread of its own, through a bounded ring of
// host buffers, digested on the way. Knows neither what the taps mean nor where they go; host
// memory stays bounded whatever the run's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/tap_filter.h"
#include "capture/tap_queue.h"
#include "run/recording.h"
#include "run/tap_stream.h"
#include "tensor/host_tensor.h"

namespace parity::capture {

/// A tap in host memory, valid during the call that hands it over.
struct CapturedTap {
  const run::TapId& id;
  tensor::TensorView value;  ///< without its bytes where the digest was wished for alone
  std::size_t size_bytes = 0;
  std::optional<tensor::Digest> digest;  ///< when the consumer wished for it
};

/// Receives captured taps one at a time, in execution order, on the stream's own thread.
class TapConsumer {
 public:
  virtual ~TapConsumer() = default;
  /// An exception ends the stream; finish() throws it on.
  virtual void consume(const CapturedTap& tap) = 0;
  /// Whether consume() needs the digest of this tap. Called on the thread that runs the model.
  [[nodiscard]] virtual DigestWish digest_wish(const run::TapId& id) const = 0;
};

struct RingOptions {
  /// Host bytes that copies under way and taps waiting for the consumer may hold together. One tap
  /// larger than that passes alone.
  std::size_t capacity_bytes = std::size_t{256} << 20U;
};

/// One run's worth of taps. Use: construct, run the model with it as the sink, finish().
class CaptureStream final : public run::TapSink {
 public:
  CaptureStream(run::HostAllocator& allocator, TapFilter& filter, TapConsumer& consumer,
                const RingOptions& options);
  /// Stops the threads without waiting for taps that are still queued.
  ~CaptureStream() override;
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override;
  void on_skipped(const run::TapId& id, const std::string& reason) override;

  /// Waits until every tap is consumed; throws what the consumer or a copy threw.
  void finish();

  /// Throws what the consumer or a copy threw so far, if anything: the cause of a run that ended
  /// early.
  void rethrow_failure() const;

  [[nodiscard]] const std::vector<run::SkippedTap>& skipped() const;
  [[nodiscard]] std::uint64_t tap_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::capture
