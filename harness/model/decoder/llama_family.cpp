// llama, mistral, qwen2 and qwen3: RMS norms, rotary positions, grouped key/value heads, a gated
// MLP. They differ in biases, norms of query and key, and windows, all of which the config states.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>

#include "model/decoder/layers.h"
#include "model/decoder/network.h"
#include "model/decoder/rotary.h"

namespace parity::model {
namespace {

class LlamaAttention {
 public:
  LlamaAttention(const DecoderConfig& config, const std::string& path, double scale,
                 const WeightTensors& weights)
      : path_(path),
        queries_(path + ".q_proj", weights),
        keys_(path + ".k_proj", weights),
        values_(path + ".v_proj", weights),
        output_(path + ".o_proj", weights),
        head_dim_(config.head_dim),
        scale_(scale) {
    if (config.query_key_norm == Part::present) {
      query_norm_.emplace(path + ".q_norm", weights, config.norm_epsilon);
      key_norm_.emplace(path + ".k_norm", weights, config.norm_epsilon);
    }
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& input, const AttentionContext& context,
                                   const RotaryAngles& angles, const ForwardTaps& taps) const {
    return taps.module(path_, [&] {
      AttentionStates states;
      states.queries = heads(queries_, query_norm_, input, taps);
      states.keys = heads(keys_, key_norm_, input, taps);
      states.values = heads(values_, std::nullopt, input, taps);
      states.queries = rotate(states.queries, angles);
      states.keys = rotate(states.keys, angles);
      taps.light_op(path_, "rotary.query", states.queries);
      taps.light_op(path_, "rotary.key", states.keys);
      return output_(merge_heads(attend(states, context, scale_, path_, taps)), taps);
    });
  }

 private:
  /// [batch, heads, tokens, head_dim]
  [[nodiscard]] at::Tensor heads(const Linear& projection, const std::optional<RmsNorm>& norm,
                                 const at::Tensor& input, const ForwardTaps& taps) const {
    const at::Tensor states = split_heads(projection(input, taps), head_dim_);
    return (norm ? (*norm)(states, taps) : states).transpose(1, 2);
  }

  std::string path_;
  Linear queries_;
  Linear keys_;
  Linear values_;
  Linear output_;
  std::optional<RmsNorm> query_norm_;
  std::optional<RmsNorm> key_norm_;
  std::int64_t head_dim_;
  double scale_;
};

class LlamaMlp {
 public:
  LlamaMlp(const DecoderConfig& config, const std::string& path, const WeightTensors& weights)
      : path_(path),
        gate_(path + ".gate_proj", weights),
        activation_{path + ".act_fn", config.activation},
        up_(path + ".up_proj", weights),
        down_(path + ".down_proj", weights) {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& input, const ForwardTaps& taps) const {
    return taps.module(path_, [&] {
      const at::Tensor gate = activation_(gate_(input, taps), taps);
      const at::Tensor gated = gate * up_(input, taps);
      taps.light_op(path_, "aten.mul", gated);
      return down_(gated, taps);
    });
  }

 private:
  std::string path_;
  Linear gate_;
  ActivationLayer activation_;
  Linear up_;
  Linear down_;
};

class LlamaLayer {
 public:
  LlamaLayer(const DecoderConfig& config, const std::string& path, double scale,
             const WeightTensors& weights)
      : path_(path),
        attention_norm_(path + ".input_layernorm", weights, config.norm_epsilon),
        attention_(config, path + ".self_attn", scale, weights),
        mlp_norm_(path + ".post_attention_layernorm", weights, config.norm_epsilon),
        mlp_(config, path + ".mlp", weights) {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& input, const AttentionContext& context,
                                   const RotaryAngles& angles, const ForwardTaps& taps) const {
    return taps.module(path_, [&] {
      const at::Tensor attended =
          input + attention_.forward(attention_norm_(input, taps), context, angles, taps);
      taps.light_op(path_, "aten.add", attended);
      at::Tensor output = attended + mlp_.forward(mlp_norm_(attended, taps), taps);
      taps.light_op(path_, "aten.add", output);
      return output;
    });
  }

 private:
  std::string path_;
  RmsNorm attention_norm_;
  LlamaAttention attention_;
  RmsNorm mlp_norm_;
  LlamaMlp mlp_;
};

class LlamaLike final : public Network {
 public:
  LlamaLike(const DecoderConfig& config, std::unique_ptr<LayerWeights> weights)
      : config_(config),
        weights_(std::move(weights)),
        rotary_("model.rotary_emb", config.rope, config.head_dim, weights_->devices().front()) {}

  [[nodiscard]] at::Tensor forward(const DecoderBatch& batch, std::vector<LayerCache>* caches,
                                   const ForwardTaps& taps) const override {
    std::shared_ptr<const WeightTensors> last;
    const at::Tensor hidden = taps.module("model", [&] {
      at::Tensor states = Embedding("model.embed_tokens", *weights_->part(0))(batch.ids, taps);
      RotaryAngles angles = rotary_(batch.positions, states.scalar_type(), taps);
      for (std::size_t layer = 0; layer < config_.attention_scales.size(); ++layer) {
        const c10::Device device = weights_->devices()[layer + 1];
        states = moved(states, device);
        angles = {moved(angles.cosines, device), moved(angles.sines, device)};
        const LlamaLayer weighted(config_, "model.layers." + std::to_string(layer),
                                  config_.attention_scales[layer], *weights_->part(layer + 1));
        states = weighted.forward(states, context_of(layer, batch, caches), angles, taps);
      }
      last = weights_->part(config_.attention_scales.size() + 1);
      return RmsNorm("model.norm", *last, config_.norm_epsilon)(
          moved(states, weights_->devices().back()), taps);
    });
    return Linear("lm_head", *last)(hidden, taps);
  }

 private:
  DecoderConfig config_;
  std::unique_ptr<LayerWeights> weights_;
  Rotary rotary_;
};

}  // namespace

std::unique_ptr<Network> make_llama_like(const DecoderConfig& config,
                                         std::unique_ptr<LayerWeights> weights) {
  return std::make_unique<LlamaLike>(config, std::move(weights));
}

}  // namespace parity::model
