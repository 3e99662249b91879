// gpt2: learned positions, layer norms with bias, one projection for query, key and value, a plain
// two-layer MLP.
#include <string>
#include <utility>
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
  Gpt2(const DecoderConfig& config, std::unique_ptr<LayerWeights> weights)
      : config_(config), weights_(std::move(weights)) {}

  [[nodiscard]] at::Tensor forward(const DecoderBatch& batch, std::vector<LayerCache>* caches,
                                   const ForwardTaps& taps) const override {
    std::shared_ptr<const WeightTensors> last;
    const at::Tensor hidden = taps.module("transformer", [&] {
      at::Tensor states = embedded(batch, taps);
      for (std::size_t layer = 0; layer < config_.attention_scales.size(); ++layer) {
        states = moved(states, weights_->devices()[layer + 1]);
        const Gpt2Layer weighted(config_, "transformer.h." + std::to_string(layer),
                                 config_.attention_scales[layer], *weights_->part(layer + 1));
        states = weighted.forward(states, context_of(layer, batch, caches), taps);
      }
      last = weights_->part(config_.attention_scales.size() + 1);
      return LayerNorm("transformer.ln_f", *last, config_.norm_epsilon)(
          moved(states, weights_->devices().back()), taps);
    });
    return Linear("lm_head", *last)(hidden, taps);
  }

 private:
  [[nodiscard]] at::Tensor embedded(const DecoderBatch& batch, const ForwardTaps& taps) const {
    const std::shared_ptr<const WeightTensors> weights = weights_->part(0);
    const at::Tensor states = Embedding("transformer.wte", *weights)(batch.ids, taps);
    const Embedding positions("transformer.wpe", *weights);
    return dropout("transformer.drop", states + positions(batch.positions, taps), taps);
  }

  DecoderConfig config_;
  std::unique_ptr<LayerWeights> weights_;
};

}  // namespace

std::unique_ptr<Network> make_gpt2(const DecoderConfig& config,
                                   std::unique_ptr<LayerWeights> weights) {
  return std::make_unique<Gpt2>(config, std::move(weights));
}

}  // namespace parity::model
