// Weights that all lie on their devices from the start: what a model that fits needs, and no more.
#include <map>

#include "model/decoder/layer_weights.h"

namespace parity::model {
namespace {

class ResidentWeights final : public LayerWeights {
 public:
  explicit ResidentWeights(const WeightPlan& plan) : devices_(plan.devices) {
    std::map<c10::DeviceIndex, std::vector<std::string>> names;
    for (std::size_t part = 0; part < plan.parts.size(); ++part) {
      std::vector<std::string>& here = names[devices_[part].index()];
      here.insert(here.end(), plan.parts[part].names.begin(), plan.parts[part].names.end());
    }
    // One for each device: parts that share a weight have it once there.
    for (std::size_t part = 0; part < plan.parts.size(); ++part) {
      const c10::Device device = devices_[part];
      auto& tensors = on_device_[device.index()];
      if (tensors != nullptr) continue;
      tensors = std::make_shared<const WeightTensors>(
          plan.weights, plan.binding, names[device.index()],
          [&](const StoredTensor& stored) { return plan.cast(view_of(stored).to(device)); });
    }
  }

  [[nodiscard]] const std::vector<c10::Device>& devices() const override { return devices_; }

  [[nodiscard]] std::shared_ptr<const WeightTensors> part(std::size_t index) override {
    return on_device_.at(devices_[index].index());
  }

 private:
  std::vector<c10::Device> devices_;
  std::map<c10::DeviceIndex, std::shared_ptr<const WeightTensors>> on_device_;
};

}  // namespace

std::unique_ptr<LayerWeights> resident_weights(const WeightPlan& plan) {
  return std::make_unique<ResidentWeights>(plan);
}

}  // namespace parity::model
