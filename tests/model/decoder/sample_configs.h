// Small, complete config.json texts for the decoder's tests, and one-field changes of them.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace parity::model {

inline nlohmann::json gpt2_config() {
  return nlohmann::json::parse(
      R"({"model_type": "gpt2", "vocab_size": 11, "n_positions": 16, "n_embd": 8, "n_layer": 2,
    "n_head": 2, "n_inner": null, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "torch_dtype": "float32"})");
}

/// `type`: "llama", "mistral", "qwen2" or "qwen3".
inline nlohmann::json llama_like_config(const std::string& type) {
  auto config =
      nlohmann::json::parse(R"({"vocab_size": 11, "hidden_size": 8, "intermediate_size": 12,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "hidden_act": "silu",
    "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "tie_word_embeddings": false})");
  config["model_type"] = type;
  return config;
}

/// `patch`: a JSON merge patch; a null in it removes the key.
inline nlohmann::json patched(nlohmann::json config, const std::string& patch) {
  config.merge_patch(nlohmann::json::parse(patch));
  return config;
}

}  // namespace parity::model
