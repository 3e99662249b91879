// Reads config.json of five model types into one description. Where the library gives a field a
// default, so does this file; sizes have no defaults, since a wrong one would only show as a
// confusing complaint about weights.
#include "model/decoder/decoder_config.h"

#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "error/error.h"
#include "model/decoder/config_fields.h"
#include "model/weights/file_bytes.h"
#include "model/weights/json_text.h"

namespace parity::model {
namespace {

constexpr std::array<std::pair<std::string_view, Architecture>, 5> kArchitectures{{
    {"gpt2", Architecture::gpt2},
    {"llama", Architecture::llama},
    {"mistral", Architecture::mistral},
    {"qwen2", Architecture::qwen2},
    {"qwen3", Architecture::qwen3},
}};

/// "swish" is the library's second name of silu.
constexpr std::array<std::pair<std::string_view, Activation>, 10> kActivations{{
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_new},
    {"gelu_fast", Activation::gelu_fast},
    {"gelu_pytorch_tanh", Activation::gelu_pytorch_tanh},
    {"quick_gelu", Activation::quick_gelu},
    {"relu", Activation::relu},
    {"relu2", Activation::relu2},
    {"tanh", Activation::tanh},
}};

template <typename Table>
std::string listed(const Table& table) {
  std::string text;
  for (const auto& [key, value] : table) {
    text += (text.empty() ? "" : ", ") + std::string(key);
  }
  return text;
}

Architecture read_architecture(const ConfigFields& fields) {
  const std::string type = fields.text("model_type");
  for (const auto& [key, value] : kArchitectures) {
    if (key == type) {
      return value;
    }
  }
  fields.refuse(
      "model_type",
      fmt::format("is \"{}\"; the built-in decoder runs {}; export other models as TorchScript",
                  type, listed(kArchitectures)));
}

Activation read_activation(const ConfigFields& fields, const char* key, const char* otherwise) {
  const std::string wanted = fields.text_or(key, otherwise);
  for (const auto& [known, value] : kActivations) {
    if (known == wanted) {
      return value;
    }
  }
  fields.refuse(
      key, fmt::format("is \"{}\"; the built-in decoder has {}", wanted, listed(kActivations)));
}

Part part(bool present) { return present ? Part::present : Part::absent; }

void refuse_divided(const ConfigFields& fields, const char* key, std::int64_t whole,
                    std::int64_t parts) {
  if (whole % parts != 0) {
    fields.refuse(key, fmt::format("is {}, which {} heads cannot share evenly", whole, parts));
  }
}

void refuse_other_kinds(const ConfigFields& fields) {
  if (fields.has("quantization_config")) {
    fields.refuse(
        "quantization_config",
        "says that the weights are quantised; pass weights in a floating dtype and their config");
  }
  for (const char* key : {"add_cross_attention", "use_mrope"}) {
    if (fields.flag_or(key, false)) {
      fields.refuse(
          key,
          "is true; the built-in decoder runs text alone, without an encoder; export this model as "
          "TorchScript");
    }
  }
  if (!fields.flag_or("is_causal", true)) {
    fields.refuse("is_causal",
                  "is false; the built-in decoder is causal; export this model as TorchScript");
  }
}

/// A number of layers is allocated for before any weight is seen.
std::int64_t read_layers(const ConfigFields& fields, std::initializer_list<const char*> keys) {
  constexpr std::int64_t kMostLayers = 65536;
  const std::int64_t layers = fields.size(keys);
  if (layers > kMostLayers) {
    fields.refuse(*keys.begin(), fmt::format("is {}, more layers than any model has", layers));
  }
  return layers;
}

void read_gpt2(const ConfigFields& fields, DecoderConfig& config) {
  config.hidden_size = fields.size({"n_embd", "hidden_size"});
  config.layers = read_layers(fields, {"n_layer", "num_hidden_layers"});
  config.heads = fields.size({"n_head", "num_attention_heads"});
  config.max_positions = fields.size({"n_positions", "max_position_embeddings"});
  refuse_divided(fields, "n_embd", config.hidden_size, config.heads);
  config.key_value_heads = config.heads;
  config.head_dim = config.hidden_size / config.heads;
  config.intermediate_size = fields.optional_size("n_inner").value_or(4 * config.hidden_size);
  config.activation = read_activation(fields, "activation_function", "gelu_new");
  config.norm_epsilon = fields.optional_positive("layer_norm_epsilon").value_or(1e-5);
  config.query_key_value_bias = config.attention_output_bias = config.mlp_bias = Part::present;
  config.tied_embeddings = part(fields.flag_or("tie_word_embeddings", true));
  config.windows.assign(static_cast<std::size_t>(config.layers), std::nullopt);

  const double scale = fields.flag_or("scale_attn_weights", true)
                           ? std::pow(static_cast<double>(config.head_dim), -0.5)
                           : 1.0;
  const bool by_layer = fields.flag_or("scale_attn_by_inverse_layer_idx", false);
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    config.attention_scales.push_back(by_layer ? scale / static_cast<double>(layer + 1) : scale);
  }
  if (fields.flag_or("reorder_and_upcast_attn", false)) {
    config.notes.emplace_back(
        "reorder_and_upcast_attn of the config has no effect: scaled_dot_product_attention is "
        "used, as in the library");
  }
}

void read_heads(const ConfigFields& fields, DecoderConfig& config) {
  config.heads = fields.size("num_attention_heads");
  const bool grouped_by_default = config.architecture == Architecture::mistral ||
                                  config.architecture == Architecture::qwen2 ||
                                  config.architecture == Architecture::qwen3;
  if (grouped_by_default && !fields.states("num_key_value_heads")) {
    (void)fields.at("num_key_value_heads");
  }
  config.key_value_heads = fields.optional_size("num_key_value_heads").value_or(config.heads);
  refuse_divided(fields, "num_attention_heads", config.heads, config.key_value_heads);

  if (const auto head_dim = fields.optional_size("head_dim")) {
    config.head_dim = *head_dim;
  } else if (config.architecture == Architecture::qwen3) {
    (void)fields.at("head_dim");
  } else {
    refuse_divided(fields, "hidden_size", config.hidden_size, config.heads);
    config.head_dim = config.hidden_size / config.heads;
  }
  if (config.head_dim % 2 != 0) {
    fields.refuse("head_dim",
                  fmt::format("is {}, but rotary positions need an even one", config.head_dim));
  }
}

/// Null means no window; a window left out is the library's default.
std::optional<std::int64_t> read_window(const ConfigFields& fields) {
  constexpr std::int64_t kDefaultWindow = 4096;
  return fields.states("sliding_window") ? fields.optional_size("sliding_window")
                                         : std::optional(kDefaultWindow);
}

/// qwen2 and qwen3: a list of layer types, or else the layers from max_window_layers on slide.
std::vector<std::optional<std::int64_t>> read_layer_windows(const ConfigFields& fields,
                                                            std::int64_t layers) {
  constexpr std::int64_t kDefaultFullLayers = 28;
  const auto window =
      fields.flag_or("use_sliding_window", false) ? read_window(fields) : std::nullopt;
  std::vector<std::optional<std::int64_t>> windows(static_cast<std::size_t>(layers));
  if (!fields.has("layer_types")) {
    const std::int64_t full =
        fields.optional_count("max_window_layers").value_or(kDefaultFullLayers);
    for (std::int64_t layer = full; layer < layers; ++layer) {
      windows[static_cast<std::size_t>(layer)] = window;
    }
    return windows;
  }
  const nlohmann::json& types = fields.at("layer_types");
  if (!types.is_array() || types.size() != windows.size()) {
    fields.refuse("layer_types",
                  fmt::format("must be a list of {} strings, one per layer", layers));
  }
  for (std::size_t layer = 0; layer < windows.size(); ++layer) {
    if (types[layer] == "sliding_attention") {
      if (!window) {
        fields.refuse("layer_types",
                      fmt::format("makes layer {} slide, but use_sliding_window and sliding_window "
                                  "give no window",
                                  layer));
      }
      windows[layer] = window;
    } else if (types[layer] != "full_attention") {
      fields.refuse("layer_types",
                    fmt::format("gives layer {} a type other than full_attention and "
                                "sliding_attention",
                                layer));
    }
  }
  return windows;
}

void read_windows(const ConfigFields& fields, DecoderConfig& config) {
  config.windows.assign(static_cast<std::size_t>(config.layers), std::nullopt);
  if (config.architecture == Architecture::mistral) {
    config.windows.assign(static_cast<std::size_t>(config.layers), read_window(fields));
    if (fields.has("layer_types")) {
      config.notes.emplace_back(
          "layer_types of the config has no effect: mistral slides in all layers or in none");
    }
  } else if (config.architecture != Architecture::llama) {
    config.windows = read_layer_windows(fields, config.layers);
  }
}

void read_llama_like(const ConfigFields& fields, DecoderConfig& config) {
  config.hidden_size = fields.size("hidden_size");
  config.layers = read_layers(fields, {"num_hidden_layers"});
  config.intermediate_size = fields.size("intermediate_size");
  config.max_positions = fields.size("max_position_embeddings");
  read_heads(fields, config);
  config.activation = read_activation(fields, "hidden_act", "silu");
  config.norm_epsilon = fields.optional_positive("rms_norm_eps").value_or(1e-6);
  config.tied_embeddings = part(fields.flag_or("tie_word_embeddings", false));
  config.rope = read_rope_config(fields, config.max_positions);
  read_windows(fields, config);
  config.attention_scales.assign(static_cast<std::size_t>(config.layers),
                                 std::pow(static_cast<double>(config.head_dim), -0.5));

  const Part bias = part(fields.flag_or("attention_bias", false));
  if (config.architecture == Architecture::llama || config.architecture == Architecture::qwen3) {
    config.query_key_value_bias = config.attention_output_bias = bias;
  }
  if (config.architecture == Architecture::llama) {
    config.mlp_bias = part(fields.flag_or("mlp_bias", false));
  }
  if (config.architecture == Architecture::qwen2) {
    config.query_key_value_bias = Part::present;
  }
  config.query_key_norm = part(config.architecture == Architecture::qwen3);
}

}  // namespace

std::string_view name(Architecture architecture) {
  for (const auto& [key, value] : kArchitectures) {
    if (value == architecture) {
      return key;
    }
  }
  return "unknown";
}

DecoderConfig parse_decoder_config(std::string_view text, const std::string& where) {
  const nlohmann::json document = parse_json(text, where);
  const ConfigFields fields(document, where);
  DecoderConfig config;
  config.architecture = read_architecture(fields);
  refuse_other_kinds(fields);
  config.vocabulary = fields.size("vocab_size");
  config.dtype = fields.text_or(fields.has("dtype") ? "dtype" : "torch_dtype", "");
  if (config.architecture == Architecture::gpt2) {
    read_gpt2(fields, config);
  } else {
    read_llama_like(fields, config);
  }
  return config;
}

DecoderConfig read_decoder_config(const std::filesystem::path& file) {
  constexpr std::uintmax_t kLargestBytes = 16U << 20U;
  std::error_code error;
  const auto size_bytes = std::filesystem::file_size(file, error);
  if (error) {
    throw Error(ErrorKind::model,
                fmt::format("cannot read the config {}: {}", file.string(), error.message()));
  }
  if (size_bytes > kLargestBytes) {
    throw Error(ErrorKind::model,
                fmt::format("{} has {} bytes, too many for a config.json; pass the model's Hugging "
                            "Face config.json",
                            file.string(), size_bytes));
  }
  const FileBytes mapped = map_file(file);
  return parse_decoder_config(as_text(mapped.bytes), file.string());
}

}  // namespace parity::model
