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

/// `first`: the device that `settings.device` names, which is the first of `settings.devices`, too.
/// Throws Error(usage) for devices or a budget that this model cannot have, Error(device) for a
/// device that is not there.
[[nodiscard]] PlacedWeights place_weights(const DecoderConfig& config, const StateDict& weights,
                                          const WeightBinding& binding, tensor::DType dtype,
                                          const run::Settings& settings, const c10::Device& first);

/// All devices of a run, `first` where the settings name no others.
[[nodiscard]] std::vector<c10::Device> devices_of(const run::Settings& settings,
                                                  const c10::Device& first);

/// Names of devices in their order, each once: "NVIDIA H200 NVL and NVIDIA H200".
[[nodiscard]] std::string each_once(const std::vector<std::string>& names);

}  // namespace parity::model
