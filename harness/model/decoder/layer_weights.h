// Private to the decoder: gives each layer its weights on its device, whether they stay there or
// are brought when their turn comes. Knows no architecture.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <c10/core/Device.h>

#include "model/decoder/weight_layout.h"
#include "model/decoder/weight_parts.h"
#include "model/decoder/weight_tensors.h"
#include "model/torch/cast.h"

namespace parity::model {

/// What weights are made of, and where they go.
struct WeightPlan {
  StateDict weights;
  WeightBinding binding;
  Cast cast;
  std::vector<WeightPart> parts;
  std::vector<c10::Device> devices;  ///< of each part
  std::vector<Stay> stays;           ///< of each part
};

/// In the parts of weight_parts(), which a forward pass asks for in their order.
class LayerWeights {
 public:
  virtual ~LayerWeights() = default;
  [[nodiscard]] virtual const std::vector<c10::Device>& devices() const = 0;
  /// Weights of a part for work that is handed out on this thread from now on. Whoever asks for the
  /// next part has let go of the one before.
  [[nodiscard]] virtual std::shared_ptr<const WeightTensors> part(std::size_t index) = 0;
};

/// All on their devices from the start: views of the mapped file where device and cast allow.
[[nodiscard]] std::unique_ptr<LayerWeights> resident_weights(const WeightPlan& plan);

/// Those that do not stay are copied through pinned memory while the part before them computes, at
/// most two of them on a device at a time.
[[nodiscard]] std::unique_ptr<LayerWeights> streamed_weights(WeightPlan plan);

}  // namespace parity::model
