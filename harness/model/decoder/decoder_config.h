// The architecture of a decoder-only Transformer as its Hugging Face config.json states it: every
// field that changes the result, with the defaults that the transformers library gives to fields
// left out. Refuses to know weights, inputs and torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/decoder/rope_config.h"
#include "tensor/dtype.h"

namespace parity::model {

enum class Architecture : std::uint8_t { gpt2, llama, mistral, qwen2, qwen3 };

/// `gelu` is the exact one (erf); `gelu_new` and `gelu_pytorch_tanh` are one formula in two orders
/// of rounding.
enum class Activation : std::uint8_t {
  silu,
  gelu,
  gelu_new,
  gelu_fast,
  gelu_pytorch_tanh,
  quick_gelu,
  relu,
  relu2,
  tanh,
};

/// A part of the architecture that a model has or has not.
enum class Part : std::uint8_t { absent, present };

struct DecoderConfig {
  Architecture architecture = Architecture::llama;
  std::int64_t vocabulary = 0;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;
  std::int64_t head_dim = 0;       ///< need not be hidden_size / heads
  std::int64_t max_positions = 0;  ///< rows of gpt2's position table; a hint for the others
  Activation activation = Activation::silu;
  double norm_epsilon = 0;
  RopeConfig rope;  ///< unused by gpt2

  Part query_key_value_bias = Part::absent;
  Part attention_output_bias = Part::absent;
  Part mlp_bias = Part::absent;
  Part query_key_norm = Part::absent;
  Part tied_embeddings = Part::absent;  ///< the output layer may use the token embedding's weight

  /// Per layer: keys a query sees, itself included; nullopt for full causal attention.
  std::vector<std::optional<std::int64_t>> windows;
  /// Per layer: factor on the attention scores.
  std::vector<double> attention_scales;

  std::string dtype;  ///< as the config states it, "" when it does not; the weights decide
  std::vector<std::string> notes;  ///< fields that were read and have no effect
};

/// The config's `model_type`: "llama".
[[nodiscard]] std::string_view name(Architecture architecture);

/// `text`: a config.json; `where` names it in errors. Throws Error(model) in one sentence with the
/// key at fault: not JSON, an unknown model_type (the known ones are listed), a missing or mistyped
/// field, a value that is not supported.
[[nodiscard]] DecoderConfig parse_decoder_config(std::string_view text, const std::string& where);

/// Reads and parses `file`. Throws Error(model) when it cannot be read as well.
[[nodiscard]] DecoderConfig read_decoder_config(const std::filesystem::path& file);

}  // namespace parity::model
