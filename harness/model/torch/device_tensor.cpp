#include "model/torch/device_tensor.h"

#include <utility>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/device.h"
#include "model/torch/guard.h"

namespace parity::model {
namespace {

class DoneTransfer final : public run::Transfer {
 public:
  void wait() override {}
};

/// Done when the device has passed the event that was recorded right behind the copy.
class EventTransfer final : public run::Transfer {
 public:
  EventTransfer(c10::Event event, std::string context)
      : event_(std::move(event)), context_(std::move(context)) {}
  void wait() override {
    with_torch_errors(context_, [&] { event_.synchronize(); });
  }

 private:
  c10::Event event_;
  std::string context_;
};

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
  std::unique_ptr<run::Transfer> transfer;
  // A GPU reports the failure of an earlier op at the next call: the tap's name says how far the
  // run had come.
  const std::string context = "copying tap '" + label_ + "' from the device";
  with_torch_errors(context, [&] {
    at::Tensor host = at::from_blob(destination.bytes().data(), tensor_.sizes(),
                                    at::TensorOptions().dtype(tensor_.scalar_type()));
    if (tensor_.is_cpu()) {
      host.copy_(tensor_);
      transfer = std::make_unique<DoneTransfer>();
      return;
    }
    // The stream's order makes this the value as of now: whatever the model does later comes behind
    // the copy.
    host.copy_(tensor_, /*non_blocking=*/true);
    c10::Event event(tensor_.device().type());
    event.record(c10::impl::VirtualGuardImpl(tensor_.device().type()).getStream(tensor_.device()));
    transfer = std::make_unique<EventTransfer>(std::move(event), context);
  });
  return transfer;
}

std::unique_ptr<run::HostAllocator> make_host_allocator(const c10::Device& device) {
  return std::make_unique<TorchHostAllocator>(!device.is_cpu());
}

}  // namespace parity::model
