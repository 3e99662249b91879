// The seam between a running model and whoever captures it: taps arrive in execution order, still
// on the device. Knows neither torch nor HDF5; model/ implements DeviceTensor, capture/ implements
// TapSink.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "run/tap.h"
#include "tensor/dtype.h"
#include "tensor/host_tensor.h"
#include "tensor/shape.h"

namespace parity::run {

/// Host memory that a device can copy into without blocking (pinned where the device asks for it).
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};

/// Makes HostBuffers fit for the device in use.
class HostAllocator {
 public:
  virtual ~HostAllocator() = default;
  /// Throws Error(resource) when the memory is not to be had.
  [[nodiscard]] virtual std::unique_ptr<HostBuffer> allocate(std::size_t size_bytes) = 0;
};

/// A device-to-host copy under way.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Returns when the bytes are in host memory; throws Error(device) when the device failed.
  /// May be called from another thread than the one that started the copy.
  virtual void wait() = 0;
};

/// A tensor that a tap saw, possibly strided and on the device; valid only during the call that
/// hands it over.
class DeviceTensor {
 public:
  virtual ~DeviceTensor() = default;
  [[nodiscard]] virtual tensor::DType dtype() const = 0;
  [[nodiscard]] virtual const tensor::Shape& shape() const = 0;
  [[nodiscard]] virtual std::size_t size_bytes() const = 0;
  /// Starts copying the values, contiguous and row-major, into the first size_bytes() of
  /// `destination`. The value copied is the one at the time of the call, whatever the model does to
  /// the tensor later.
  [[nodiscard]] virtual std::unique_ptr<Transfer> start_copy(HostBuffer& destination) const = 0;

  /// Host bytes that start_sums() fills; 0 where the device does not sum for a digest.
  [[nodiscard]] virtual std::size_t sums_bytes() const { return 0; }
  /// Like start_copy(), of the sums that tensor::digest_of_sums() goes on from, to the bytes from
  /// `first` on. nullptr where the device has no memory for them now.
  [[nodiscard]] virtual std::unique_ptr<Transfer> start_sums(HostBuffer& /*destination*/,
                                                             std::size_t /*first*/) const {
    return nullptr;
  }
};

/// Receives every tap of a run in execution order, on the thread that runs the model.
class TapSink {
 public:
  virtual ~TapSink() = default;
  virtual void on_tap(const TapId& id, const DeviceTensor& value) = 0;
  /// A value that has a tap's place but cannot be captured (a str, a float, an unsupported dtype),
  /// with the reason.
  virtual void on_skipped(const TapId& id, const std::string& reason) = 0;

  /// What the model goes on with in the place of the tap that was just handed over; nullopt: its
  /// own value. Of the tap's shape, in any dtype; valid until the next call of the sink.
  [[nodiscard]] virtual std::optional<tensor::TensorView> forced_value(const TapId& /*id*/) {
    return std::nullopt;
  }
  /// The forced value could not be put in place, with the reason; the model goes on with its own.
  virtual void on_not_forced(const TapId& /*id*/, const std::string& /*reason*/) {}
};

/// For a run that nobody looks at.
class IgnoredTaps final : public TapSink {
 public:
  void on_tap(const TapId& /*id*/, const DeviceTensor& /*value*/) override {}
  void on_skipped(const TapId& /*id*/, const std::string& /*reason*/) override {}
};

}  // namespace parity::run
