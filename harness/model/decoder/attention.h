// Private to the decoder: scaled dot-product attention with grouped key/value heads, and the masks
// on the device.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/forward_taps.h"
#include "model/decoder/token_inputs.h"

namespace parity::model {

/// One case on the model's device.
struct DecoderBatch {
  at::Tensor ids;        // int64 [batch, tokens]
  at::Tensor positions;  // int64 [batch or 1, tokens]
  std::vector<at::Tensor>
      masks;  // per layer: bool [batch, 1, tokens, tokens], undefined for plain causal attention
};

/// Layers with equal windows share a mask.
[[nodiscard]] DecoderBatch make_batch(const TokenInputs& inputs, const DecoderConfig& config,
                                      const c10::Device& device);

/// What attention works on.
struct AttentionStates {
  at::Tensor queries;  // [batch, heads, tokens, head_dim]
  at::Tensor keys;     // [batch, key/value heads, tokens, head_dim]
  at::Tensor values;   // as keys
};

/// [batch, tokens, heads, head_dim]. `path` is the attention module's, for the op tap.
[[nodiscard]] at::Tensor attend(const AttentionStates& states, const at::Tensor& mask, double scale,
                                const std::string& path, const ForwardTaps& taps);

/// [batch, tokens, heads x head_dim] to [batch, tokens, heads, head_dim].
[[nodiscard]] at::Tensor split_heads(const at::Tensor& states, std::int64_t head_dim);
/// [batch, tokens, heads, head_dim] to [batch, tokens, heads x head_dim].
[[nodiscard]] at::Tensor merge_heads(const at::Tensor& states);

}  // namespace parity::model
