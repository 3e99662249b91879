// Private to the decoder: the seam between the model and its architecture families.
// Knows no file: weights come bound, and taps go to whoever listens.
#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/attention.h"
#include "model/decoder/decoder_config.h"
#include "model/decoder/forward_taps.h"
#include "model/decoder/layer_weights.h"

namespace parity::model {

class Network {
 public:
  virtual ~Network() = default;
  /// Logits [batch, tokens, vocabulary]; a tap for every module in the order in which they finish.
  /// `caches`: one per layer, of the passes before, to which this one adds; nullptr: this pass is
  /// the only one.
  [[nodiscard]] virtual at::Tensor forward(const DecoderBatch& batch,
                                           std::vector<LayerCache>* caches,
                                           const ForwardTaps& taps) const = 0;
};

/// gpt2.
[[nodiscard]] std::unique_ptr<Network> make_gpt2(const DecoderConfig& config,
                                                 std::unique_ptr<LayerWeights> weights);

/// llama, mistral, qwen2 and qwen3.
[[nodiscard]] std::unique_ptr<Network> make_llama_like(const DecoderConfig& config,
                                                       std::unique_ptr<LayerWeights> weights);

}  // namespace parity::model
