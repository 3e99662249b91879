// Private to the decoder: puts weights where the settings want them, over one device or several, to
// stay or to be streamed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "model/decoder/attention.h"
#include "model/decoder/layer_weights.h"
#include "run/settings.h"

namespace parity::model {

struct PlacedWeights {
  std::unique_ptr<LayerWeights> weights;
  LayerDevices devices;
  std::vector<std::string> notes;
};

/// `first`: the device that `settings.device` names. Throws Error(usage) for devices or a budget
/// that this model cannot have, Error(device) for a device that is not there.
[[nodiscard]] PlacedWeights place_weights(const DecoderConfig& config, const StateDict& weights,
                                          const WeightBinding& binding, tensor::DType dtype,
                                          const run::Settings& settings, const c10::Device& first);

/// All devices of a run, `first` where the settings name no others.
[[nodiscard]] std::vector<c10::Device> devices_of(const run::Settings& settings,
                                                  const c10::Device& first);

}  // namespace parity::model
