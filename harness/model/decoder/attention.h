// Private to the decoder: scaled dot-product attention with grouped key/value heads over the cache
// of earlier tokens, and the masks on the device.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/forward_taps.h"
#include "model/decoder/kv_cache.h"
#include "model/decoder/token_inputs.h"

namespace parity::model {

/// Where a forward pass computes.
struct LayerDevices {
  c10::Device embeddings;
  std::vector<c10::Device> layers;
};

/// What one forward pass takes: ids and positions where the embeddings are.
struct DecoderBatch {
  at::Tensor ids;                 // int64 [batch, tokens]
  at::Tensor positions;           // int64 [batch or 1, tokens]
  std::vector<at::Tensor> masks;  // per layer, on its device: bool [batch, 1, tokens, keys],
                                  // undefined for plain causal attention
};

/// The whole prompt. Layers with equal windows on one device share a mask. To whoever records
/// operators, a run begins behind this.
[[nodiscard]] DecoderBatch make_batch(const TokenInputs& inputs, const DecoderConfig& config,
                                      const LayerDevices& devices);
/// The tokens `ids` [batch] of step `step` (from 1) behind it, likewise.
[[nodiscard]] DecoderBatch make_step(const TokenInputs& inputs, std::int64_t step,
                                     const std::vector<std::int64_t>& ids,
                                     const DecoderConfig& config, const LayerDevices& devices);

/// What attention works on.
struct AttentionStates {
  at::Tensor queries;  // [batch, heads, tokens, head_dim]
  at::Tensor keys;     // [batch, key/value heads, tokens, head_dim]
  at::Tensor values;   // as keys
};

/// What one layer's attention has besides the states of its input.
struct AttentionContext {
  at::Tensor mask;              // as in DecoderBatch
  LayerCache* cache = nullptr;  // of the tokens before; nullptr: there are none, and none will come
};

/// Of layer `layer`. `caches`: one per layer, or nullptr.
[[nodiscard]] AttentionContext context_of(std::size_t layer, const DecoderBatch& batch,
                                          std::vector<LayerCache>* caches);

/// [batch, tokens, heads, head_dim]. `path` is the attention module's, for the op taps: with a
/// cache, all keys and values that are read, then the result.
[[nodiscard]] at::Tensor attend(const AttentionStates& states, const AttentionContext& context,
                                double scale, const std::string& path, const ForwardTaps& taps);

/// [batch, tokens, heads x head_dim] to [batch, tokens, heads, head_dim].
[[nodiscard]] at::Tensor split_heads(const at::Tensor& states, std::int64_t head_dim);
/// [batch, tokens, heads, head_dim] to [batch, tokens, heads x head_dim].
[[nodiscard]] at::Tensor merge_heads(const at::Tensor& states);

}  // namespace parity::model
