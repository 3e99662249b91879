// A part is loaded by another thread, on a stream of its own, while the part before it computes.
// Memory: that thread waits until the device is done with the part before that one.
#include <future>
#include <map>
#include <optional>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "model/decoder/layer_weights.h"
#include "model/torch/pinned_upload.h"

namespace parity::model {
namespace {

using Tensors = std::shared_ptr<const WeightTensors>;

c10::Event recorded(const c10::Stream& stream) {
  c10::Event event(stream.device_type());
  event.record(stream);
  return event;
}

/// Where the parts of one device go.
struct Lane {
  explicit Lane(const c10::Device& device)
      : upload(device),
        stream(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device)) {}

  PinnedUpload upload;
  c10::Stream stream;
};

struct Loaded {
  Tensors tensors;
  std::optional<c10::Event> there;  ///< on the CPU: there already
};

class StreamedWeights final : public LayerWeights {
 public:
  explicit StreamedWeights(WeightPlan plan) : plan_(std::move(plan)), kept_(plan_.parts.size()) {
    for (const c10::Device& device : plan_.devices) {
      if (!device.is_cpu()) lanes_.try_emplace(device.index(), device);
    }
    for (std::size_t part = 0; part < plan_.parts.size(); ++part) {
      if (plan_.stays[part] == Stay::resident) kept_[part] = all_at_once(part);
    }
  }
  ~StreamedWeights() override {
    if (coming_.valid()) coming_.wait();
  }
  StreamedWeights(const StreamedWeights&) = delete;
  StreamedWeights& operator=(const StreamedWeights&) = delete;
  StreamedWeights(StreamedWeights&&) = delete;
  StreamedWeights& operator=(StreamedWeights&&) = delete;

  [[nodiscard]] const std::vector<c10::Device>& devices() const override { return plan_.devices; }

  [[nodiscard]] Tensors part(std::size_t index) override {
    if (kept_[index] != nullptr) return kept_[index];
    if (plan_.devices[index].is_cpu()) return all_at_once(index);
    Loaded loaded = taken(index);
    loaded.there->block(current_stream(index));
    begin(next_streamed(index));
    return loaded.tensors;
  }

 private:
  [[nodiscard]] c10::Stream current_stream(std::size_t part) const {
    const c10::Device device = plan_.devices[part];
    return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  }

  [[nodiscard]] Tensors all_at_once(std::size_t part) const {
    const at::RecordFunctionGuard silent(/*is_enabled=*/false);  // no operator of the model's
    return std::make_shared<const WeightTensors>(
        plan_.weights, plan_.binding, plan_.parts[part].names, [&](const StoredTensor& stored) {
          return plan_.cast(view_of(stored).to(plan_.devices[part]));
        });
  }

  [[nodiscard]] std::size_t next_streamed(std::size_t index) const {
    std::size_t next = index;
    do {
      next = (next + 1) % plan_.parts.size();
    } while (kept_[next] != nullptr);
    return next;
  }

  /// The part that is coming, or, where a run began anew behind one that failed, another.
  Loaded taken(std::size_t index) {
    if (!coming_.valid() || coming_part_ != index) {
      if (coming_.valid()) coming_.wait();
      coming_ = {};
      begin(index);
    }
    return coming_.get();
  }

  void begin(std::size_t index) {
    coming_part_ = index;
    // All work that this thread has handed out, that of the part before the current one included,
    // whose memory the new one gets. The current part may still be there.
    coming_ = std::async(std::launch::async,
                         [this, index, computing = current_stream(index),
                          before = std::make_shared<c10::Event>(recorded(current_stream(index)))] {
                           before->synchronize();
                           return load(index, computing);
                         });
  }

  Loaded load(std::size_t index, const c10::Stream& computing) {
    // Of this thread: what the thread that computes has set for itself.
    const at::AutoGradMode no_gradients(false);
    const at::RecordFunctionGuard silent(/*is_enabled=*/false);
    Lane& lane = lanes_.at(plan_.devices[index].index());
    const c10::DeviceGuard on_device(plan_.devices[index]);
    const c10::StreamGuard on_stream(lane.stream);
    Loaded loaded;
    loaded.tensors = std::make_shared<const WeightTensors>(
        plan_.weights, plan_.binding, plan_.parts[index].names, [&](const StoredTensor& stored) {
          at::Tensor tensor = plan_.cast(lane.upload.copy(view_of(stored)));
          tensor.record_stream(computing);
          return tensor;
        });
    loaded.there = recorded(lane.stream);
    return loaded;
  }

  WeightPlan plan_;
  std::vector<Tensors> kept_;
  std::map<c10::DeviceIndex, Lane> lanes_;
  std::size_t coming_part_ = 0;
  std::future<Loaded> coming_;  ///< last, so that it ends before what it works on
};

}  // namespace

std::unique_ptr<LayerWeights> streamed_weights(WeightPlan plan) {
  return std::make_unique<StreamedWeights>(std::move(plan));
}

}  // namespace parity::model
