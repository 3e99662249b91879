#include "model/torch/device_tensor.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/device.h"
#include "model/torch/device_digest.h"
#include "model/torch/guard.h"
#include "tensor/block_digest.h"

namespace parity::model {
namespace {

class DoneTransfer final : public run::Transfer {
 public:
  void wait() override {}
};

/// Bytes of device memory that copies to the host are still read from.
std::atomic<std::size_t> kept_on_device{0};

/// Memory that a copy reads beside the model's stream: given back before, another tensor could have
/// it.
class Kept {
 public:
  Kept() = default;
  explicit Kept(at::Tensor tensor) : tensor_(std::move(tensor)) {
    kept_on_device += tensor_.nbytes();
  }
  ~Kept() { release(); }
  Kept(Kept&& other) noexcept : tensor_(std::exchange(other.tensor_, at::Tensor())) {}
  Kept& operator=(Kept&&) = delete;

  [[nodiscard]] bool is_empty() const { return !tensor_.defined(); }
  void release() {
    if (is_empty()) return;
    kept_on_device -= tensor_.nbytes();
    tensor_.reset();
  }

 private:
  at::Tensor tensor_;
};

/// Done when the device has passed the event that was recorded right behind the copy.
class EventTransfer final : public run::Transfer {
 public:
  EventTransfer(c10::Event event, std::string context, Kept kept)
      : event_(std::move(event)), context_(std::move(context)), kept_(std::move(kept)) {}
  ~EventTransfer() override {
    if (kept_.is_empty()) return;
    try {
      event_.synchronize();
    } catch (const std::exception&) {
      // The device has failed, and whoever waits for it is told.
    }
  }
  EventTransfer(const EventTransfer&) = delete;
  EventTransfer& operator=(const EventTransfer&) = delete;

  void wait() override {
    with_torch_errors(context_, [&] { event_.synchronize(); });
    kept_.release();
  }

 private:
  c10::Event event_;
  std::string context_;
  Kept kept_;
};

/// Makes a copy of `from` in `to`, which has room for it, when the device comes to it.
void queue_copy(const at::Tensor& from, std::byte* to) {
  at::from_blob(to, from.sizes(), at::TensorOptions().dtype(from.scalar_type()))
      .copy_(from, /*non_blocking=*/true);
}

/// Behind everything that the model has queued so far, and before everything that it will.
std::unique_ptr<run::Transfer> copy_in_line(const at::Tensor& from, std::byte* to,
                                            const std::string& context, Kept kept = {}) {
  queue_copy(from, to);
  c10::Event event(from.device().type());
  event.record(c10::impl::VirtualGuardImpl(from.device().type()).getStream(from.device()));
  return std::make_unique<EventTransfer>(std::move(event), context, std::move(kept));
}

/// Where copies to the host of one device go, and what they wait for.
struct CopyLane {
  c10::Stream stream;
  c10::Event made;
};

CopyLane& copy_lane(const c10::Device& device) {
  // Never taken down: the driver may be gone before this would be.
  static auto& lanes = *new std::map<c10::DeviceIndex, CopyLane>();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto found = lanes.find(device.index());
  if (found != lanes.end()) return found->second;
  const c10::Stream stream =
      c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  return lanes.emplace(device.index(), CopyLane{stream, c10::Event(device.type())}).first->second;
}

/// Beside what the model goes on with. Nothing else writes into `from`, which the transfer keeps.
std::unique_ptr<run::Transfer> copy_aside(const at::Tensor& from, std::byte* to,
                                          const std::string& context) {
  const c10::Device device = from.device();
  CopyLane& lane = copy_lane(device);
  lane.made.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  lane.made.block(lane.stream);
  const c10::StreamGuard guard(lane.stream);
  return copy_in_line(from, to, context, Kept(from));
}

/// What the copy to the host is taken from while the model goes on. nullopt where the tap is so
/// small that two copies cost more than one that the model waits for, or where the device's memory
/// is wanted for the model.
std::optional<at::Tensor> copy_on_device(const at::Tensor& tensor) {
  constexpr std::size_t kSmallestBytes = std::size_t{64} << 10U;
  constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20U;
  static std::atomic<bool> is_full{false};
  if (is_full || tensor.nbytes() < kSmallestBytes ||
      kept_on_device + tensor.nbytes() > kMostKeptBytes)
    return std::nullopt;
  try {
    return tensor.clone(at::MemoryFormat::Contiguous);
  } catch (const c10::OutOfMemoryError&) {
    is_full = true;
    return std::nullopt;
  }
}

class TensorBuffer final : public run::HostBuffer {
 public:
  explicit TensorBuffer(at::Tensor storage) : storage_(std::move(storage)) {}
  [[nodiscard]] std::span<std::byte> bytes() override {
    return {static_cast<std::byte*>(storage_.data_ptr()), storage_.nbytes()};
  }

 private:
  at::Tensor storage_;
};

class TorchHostAllocator final : public run::HostAllocator {
 public:
  explicit TorchHostAllocator(bool pinned) : pinned_(pinned) {}
  [[nodiscard]] std::unique_ptr<run::HostBuffer> allocate(std::size_t size_bytes) override {
    at::Tensor storage;
    with_torch_errors(
        "allocating " + std::to_string(size_bytes) + " bytes of host memory for taps", [&] {
          storage = at::empty({static_cast<std::int64_t>(size_bytes)},
                              at::TensorOptions().dtype(at::kByte).pinned_memory(pinned_));
        });
    return std::make_unique<TensorBuffer>(std::move(storage));
  }

 private:
  bool pinned_;
};

}  // namespace

TorchDeviceTensor::TorchDeviceTensor(const at::Tensor& tensor, std::string label)
    : tensor_(tensor.detach()),
      dtype_(dtype_of(tensor.scalar_type()).value()),
      shape_(tensor.sizes().vec()),
      label_(std::move(label)) {}

std::size_t TorchDeviceTensor::size_bytes() const {
  return static_cast<std::size_t>(tensor_.numel()) * tensor::size_bytes(dtype_);
}

std::unique_ptr<run::Transfer> TorchDeviceTensor::start_copy(run::HostBuffer& destination) const {
  PARITY_CHECK(destination.bytes().size() >= size_bytes());
  if (tensor_.numel() == 0) return std::make_unique<DoneTransfer>();
  std::byte* const to = destination.bytes().data();
  std::unique_ptr<run::Transfer> transfer;
  // A GPU reports the failure of an earlier op at the next call: the tap's name says how far the
  // run had come.
  const std::string context = "copying tap '" + label_ + "' from the device";
  with_torch_errors(context, [&] {
    if (tensor_.is_cpu()) {
      queue_copy(tensor_, to);
      transfer = std::make_unique<DoneTransfer>();
      return;
    }
    // The stream's order makes this the value as of now: whatever the model does later comes behind
    // the copy on the device, and does not wait for the one to the host.
    const std::optional<at::Tensor> kept = copy_on_device(tensor_);
    transfer = kept ? copy_aside(*kept, to, context) : copy_in_line(tensor_, to, context);
  });
  return transfer;
}

std::size_t TorchDeviceTensor::sums_bytes() const {
  std::size_t result = 0;
  with_torch_errors("digesting tap '" + label_ + "' on the device", [&] {
    if (digests_on_device(tensor_)) result = tensor::block_sum_layout(size_bytes()).size_bytes();
  });
  return result;
}

std::unique_ptr<run::Transfer> TorchDeviceTensor::start_sums(run::HostBuffer& destination,
                                                             std::size_t first) const {
  const std::size_t sums_bytes = tensor::block_sum_layout(size_bytes()).size_bytes();
  std::byte* const to = destination.bytes().subspan(first, sums_bytes).data();
  std::unique_ptr<run::Transfer> transfer;
  const std::string context = "digesting tap '" + label_ + "' on the device";
  with_torch_errors(context, [&] {
    try {
      transfer = copy_aside(device_block_sums(tensor_), to, context);
    } catch (const c10::OutOfMemoryError&) {
      // The host digests: that takes no memory of the device.
    }
  });
  return transfer;
}

std::unique_ptr<run::HostAllocator> make_host_allocator(const c10::Device& device) {
  return std::make_unique<TorchHostAllocator>(!device.is_cpu());
}

}  // namespace parity::model
