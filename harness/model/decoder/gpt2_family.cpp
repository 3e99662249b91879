// gpt2: learned positions, layer norms with bias, one projection for query, key and value, a plain
// two-layer MLP.
#include <string>
#include <vector>

#include <ATen/TensorOperators.h>

#include "model/decoder/layers.h"
#include "model/decoder/network.h"

namespace parity::model {
namespace {

struct Gpt2Layer {
  Gpt2Layer(const DecoderConfig& config, const std::string& layer_path, double attention_scale,
            const WeightTensors& weights)
      : path(layer_path),
        attention_path(path + ".attn"),
        mlp_path(path + ".mlp"),
        norm_1(path + ".ln_1", weights, config.norm_epsilon),
        projection_in(attention_path + ".c_attn", weights),
        projection_out(attention_path + ".c_proj", weights),
        norm_2(path + ".ln_2", weights, config.norm_epsilon),
        mlp_in(mlp_path + ".c_fc", weights),
        activation{mlp_path + ".act", config.activation},
        mlp_out(mlp_path + ".c_proj", weights),
        head_dim(config.head_dim),
        scale(attention_scale) {}

  std::string path;
  std::string attention_path;
  std::string mlp_path;
  LayerNorm norm_1;
  Conv1d projection_in;
  Conv1d projection_out;
  LayerNorm norm_2;
  Conv1d mlp_in;
  ActivationLayer activation;
  Conv1d mlp_out;
  std::int64_t head_dim;
  double scale;

  at::Tensor attention(const at::Tensor& input, const AttentionContext& context,
                       const ForwardTaps& taps) const {
    return taps.module(attention_path, [&] {
      const std::vector<at::Tensor> parts = projection_in(input, taps).split(input.size(-1), 2);
      AttentionStates states;
      states.queries = split_heads(parts[0], head_dim).transpose(1, 2);
      states.keys = split_heads(parts[1], head_dim).transpose(1, 2);
      states.values = split_heads(parts[2], head_dim).transpose(1, 2);
      const at::Tensor mixed = merge_heads(attend(states, context, scale, attention_path, taps));
      return dropout(attention_path + ".resid_dropout", projection_out(mixed, taps), taps);
    });
  }

  at::Tensor mlp(const at::Tensor& input, const ForwardTaps& taps) const {
    return taps.module(mlp_path, [&] {
      const at::Tensor inner = activation(mlp_in(input, taps), taps);
      return dropout(mlp_path + ".dropout", mlp_out(inner, taps), taps);
    });
  }

  at::Tensor forward(const at::Tensor& input, const AttentionContext& context,
                     const ForwardTaps& taps) const {
    return taps.module(path, [&] {
      const at::Tensor attended = attention(norm_1(input, taps), context, taps) + input;
      taps.light_op(path, "aten.add", attended);
      at::Tensor output = attended + mlp(norm_2(attended, taps), taps);
      taps.light_op(path, "aten.add", output);
      return output;
    });
  }
};

class Gpt2 final : public Network {
 public:
  Gpt2(const DecoderConfig& config, const WeightTensors& weights)
      : tokens_("transformer.wte", weights),
        positions_("transformer.wpe", weights),
        norm_("transformer.ln_f", weights, config.norm_epsilon),
        output_("lm_head", weights) {
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const auto scale = config.attention_scales[static_cast<std::size_t>(layer)];
      layers_.emplace_back(config, "transformer.h." + std::to_string(layer), scale, weights);
    }
  }

  [[nodiscard]] at::Tensor forward(const DecoderBatch& batch, std::vector<LayerCache>* caches,
                                   const ForwardTaps& taps) const override {
    const at::Tensor hidden = taps.module("transformer", [&] {
      at::Tensor states = tokens_(batch.ids, taps);
      states = dropout("transformer.drop", states + positions_(batch.positions, taps), taps);
      for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        states = layers_[layer].forward(states, context_of(layer, batch, caches), taps);
      }
      return norm_(states, taps);
    });
    return output_(hidden, taps);
  }

 private:
  Embedding tokens_;
  Embedding positions_;
  std::vector<Gpt2Layer> layers_;
  LayerNorm norm_;
  Linear output_;
};

}  // namespace

std::unique_ptr<Network> make_gpt2(const DecoderConfig& config, const WeightTensors& weights) {
  return std::make_unique<Gpt2>(config, weights);
}

}  // namespace parity::model
