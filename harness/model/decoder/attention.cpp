// One attention call. Which form of it is chosen (a causal flag or a mask, grouped heads or
// repeated ones) decides the kernel and with it the rounding, so the choice is the library's.
#include "model/decoder/attention.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <ATen/ops/from_blob.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/record_function.h>

#include "model/decoder/decode_plan.h"

namespace parity::model {
namespace {

at::Tensor copied(const std::vector<std::int64_t>& numbers, at::IntArrayRef shape,
                  const c10::Device& device) {
  // The blob is only read: a copy is made at once.
  auto* data = const_cast<std::int64_t*>(numbers.data());
  return at::from_blob(data, shape, at::TensorOptions().dtype(at::kLong)).clone().to(device);
}

at::Tensor on_device(std::optional<AttentionMask> mask, std::int64_t batch,
                     const c10::Device& device) {
  if (!mask) {
    return {};
  }
  const at::Tensor allowed =
      at::from_blob(mask->allowed.data(), {mask->batch, 1, mask->queries, mask->keys},
                    at::TensorOptions().dtype(at::kBool))
          .clone()
          .to(device);
  return allowed.expand({batch, 1, mask->queries, mask->keys});
}

using MaskOfWindow = std::function<std::optional<AttentionMask>(std::optional<std::int64_t>)>;

/// Per layer.
std::vector<at::Tensor> masks_of(const DecoderConfig& config, std::int64_t batch,
                                 const LayerDevices& devices, const MaskOfWindow& mask) {
  std::map<std::pair<std::optional<std::int64_t>, c10::DeviceIndex>, at::Tensor> made;
  std::vector<at::Tensor> masks;
  for (std::size_t layer = 0; layer < config.windows.size(); ++layer) {
    const auto& window = config.windows[layer];
    const c10::Device device = devices.layers[layer];
    const std::pair key(window, device.index());
    if (!made.contains(key)) made[key] = on_device(mask(window), batch, device);
    masks.push_back(made[key]);
  }
  return masks;
}

/// Every key/value head stands for `times` query heads.
at::Tensor repeated(const at::Tensor& heads, std::int64_t times) {
  const auto batch = heads.size(0);
  const auto count = heads.size(1);
  const auto tokens = heads.size(2);
  const auto head_dim = heads.size(3);
  return heads.unsqueeze(2)
      .expand({batch, count, times, tokens, head_dim})
      .reshape({batch, count * times, tokens, head_dim});
}

}  // namespace

DecoderBatch make_batch(const TokenInputs& inputs, const DecoderConfig& config,
                        const LayerDevices& devices) {
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  const c10::Device first = devices.embeddings;
  DecoderBatch batch;
  batch.ids = copied(inputs.ids, {inputs.batch, inputs.tokens}, first);
  batch.positions = copied(inputs.positions, {inputs.position_rows, inputs.tokens}, first);
  batch.masks = masks_of(config, inputs.batch, devices,
                         [&](const auto& window) { return attention_mask(inputs, window); });
  return batch;
}

DecoderBatch make_step(const TokenInputs& inputs, std::int64_t step,
                       const std::vector<std::int64_t>& ids, const DecoderConfig& config,
                       const LayerDevices& devices) {
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  const c10::Device first = devices.embeddings;
  DecoderBatch batch;
  batch.ids = copied(ids, {inputs.batch, 1}, first);
  batch.positions = copied(step_positions(inputs, step), {inputs.position_rows, 1}, first);
  batch.masks = masks_of(config, inputs.batch, devices,
                         [&](const auto& window) { return step_mask(inputs, step, window); });
  return batch;
}

AttentionContext context_of(std::size_t layer, const DecoderBatch& batch,
                            std::vector<LayerCache>* caches) {
  return {batch.masks[layer], caches == nullptr ? nullptr : &(*caches)[layer]};
}

at::Tensor attend(const AttentionStates& states, const AttentionContext& context, double scale,
                  const std::string& path, const ForwardTaps& taps) {
  constexpr std::int64_t kLargestGroupedHeadDim =
      256;  // the library's bound for kernels with grouped heads
  const std::int64_t group = states.queries.size(1) / states.keys.size(1);
  const std::int64_t tokens = states.queries.size(2);
  const at::Tensor& mask = context.mask;
  at::Tensor queries = states.queries;
  at::Tensor keys = states.keys;
  at::Tensor values = states.values;
  if (context.cache != nullptr) {
    keys = context.cache->keys.append(keys);
    taps.op(path, "kv_cache.keys", keys);
    values = context.cache->values.append(values);
    taps.op(path, "kv_cache.values", values);
  }
  const bool grouped = group > 1 && !mask.defined() && keys.size(-1) <= kLargestGroupedHeadDim;
  if (group > 1 && !grouped && tokens == 1) {
    // One query per head: the queries of a group become the rows of its key/value head.
    queries = queries.reshape({queries.size(0), keys.size(1), group, queries.size(3)});
  } else if (group > 1 && !grouped) {
    keys = repeated(keys, group);
    values = repeated(values, group);
  }
  const bool causal = tokens > 1 && !mask.defined();
  const at::Tensor output =
      at::scaled_dot_product_attention(queries, keys, values,
                                       mask.defined() ? std::optional(mask) : std::nullopt, 0.0,
                                       causal, scale, grouped)
          .reshape({states.queries.size(0), -1, tokens, states.values.size(-1)});
  taps.op(path, "aten.scaled_dot_product_attention", output);
  return output.transpose(1, 2).contiguous();
}

at::Tensor split_heads(const at::Tensor& states, std::int64_t head_dim) {
  return states.view({states.size(0), states.size(1), -1, head_dim});
}

at::Tensor merge_heads(const at::Tensor& states) {
  return states.reshape({states.size(0), states.size(1), -1}).contiguous();
}

}  // namespace parity::model
