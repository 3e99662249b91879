// Private to the decoder: one prompt and the tokens behind it, pass by pass over one key/value
// cache. Knows neither where the tokens come from nor who looks at the logits.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/decoder_config.h"
#include "model/decoder/forward_taps.h"
#include "model/decoder/kv_cache.h"
#include "model/decoder/network.h"
#include "model/decoder/token_inputs.h"

namespace parity::model {

/// All arguments must outlive it.
class Decoding {
 public:
  Decoding(const Network& network, const DecoderConfig& config, const LayerDevices& devices,
           const TokenInputs& inputs, const ForwardTaps& taps);

  /// Logits of the prompt, [batch, tokens, vocabulary]. Comes first, once.
  [[nodiscard]] at::Tensor prefill();
  /// Logits [batch, 1, vocabulary] of the next step, which feeds `ids` [batch].
  [[nodiscard]] at::Tensor step(const std::vector<std::int64_t>& ids);

 private:
  const Network& network_;
  const DecoderConfig& config_;
  const LayerDevices& devices_;
  const TokenInputs& inputs_;
  const ForwardTaps& taps_;
  std::vector<LayerCache> caches_;
  std::int64_t steps_ = 0;  ///< done
};

}  // namespace parity::model
