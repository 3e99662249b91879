// What a config.json means, and every way in which one is refused.
#include "model/decoder/decoder_config.h"

#include <filesystem>
#include <fstream>

#include "sample_configs.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::model {
namespace {

using nlohmann::json;

DecoderConfig parse(const json& config) {
  return parse_decoder_config(config.dump(), "config.json");
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_decoder_config(text, "config.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "accepted";
}

std::optional<std::int64_t> window(std::int64_t size) { return size; }

TEST(DecoderConfig, ReadsTheSizesOfGpt2UnderItsOwnNames) {
  const DecoderConfig config = parse(gpt2_config());
  EXPECT_EQ(name(config.architecture), "gpt2");
  EXPECT_EQ(config.vocabulary, 11);
  EXPECT_EQ(config.hidden_size, 8);
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.key_value_heads, 2);
  EXPECT_EQ(config.head_dim, 4);
  EXPECT_EQ(config.max_positions, 16);
  EXPECT_EQ(config.intermediate_size, 32) << "a null n_inner is four times n_embd";
  EXPECT_EQ(config.activation, Activation::gelu_new);
  EXPECT_EQ(config.norm_epsilon, 1e-5);
  EXPECT_EQ(config.tied_embeddings, Part::present) << "gpt2 ties unless told otherwise";
  EXPECT_EQ(config.mlp_bias, Part::present);
  EXPECT_EQ(config.dtype, "float32");
  EXPECT_TRUE(config.notes.empty());
}

TEST(DecoderConfig, ReadsGpt2UnderTheGeneralNamesToo) {
  const DecoderConfig config =
      parse(patched(gpt2_config(), R"({"n_embd": null, "hidden_size": 12, "n_layer": null,
    "num_hidden_layers": 3, "n_head": null, "num_attention_heads": 3, "n_positions": null,
    "max_position_embeddings": 99, "n_inner": 20})"));
  EXPECT_EQ(config.hidden_size, 12);
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.heads, 3);
  EXPECT_EQ(config.max_positions, 99);
  EXPECT_EQ(config.intermediate_size, 20);
}

TEST(DecoderConfig, ScalesGpt2AttentionAsToldLayerByLayer) {
  EXPECT_EQ(parse(gpt2_config()).attention_scales, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(parse(patched(gpt2_config(), R"({"scale_attn_weights": false})")).attention_scales,
            (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(parse(patched(gpt2_config(), R"({"scale_attn_by_inverse_layer_idx": true})"))
                .attention_scales,
            (std::vector<double>{0.5, 0.25}));
}

TEST(DecoderConfig, NotesFieldsThatHaveNoEffect) {
  EXPECT_EQ(parse(patched(gpt2_config(), R"({"reorder_and_upcast_attn": true})")).notes.size(), 1U);
  EXPECT_EQ(parse(patched(llama_like_config("mistral"),
                          R"({"layer_types": ["full_attention", "full_attention"]})"))
                .notes.size(),
            1U);
}

TEST(DecoderConfig, ReadsTheSizesOfTheLlamaFamily) {
  for (const char* type : {"llama", "mistral", "qwen2", "qwen3"}) {
    const DecoderConfig config = parse(llama_like_config(type));
    EXPECT_EQ(name(config.architecture), type);
    EXPECT_EQ(config.heads, 4) << type;
    EXPECT_EQ(config.key_value_heads, 2) << type;
    EXPECT_EQ(config.head_dim, 6) << type << ": head_dim need not be hidden_size / heads";
    EXPECT_EQ(config.intermediate_size, 12) << type;
    EXPECT_EQ(config.norm_epsilon, 1e-5) << type;
    EXPECT_EQ(config.tied_embeddings, Part::absent) << type;
    EXPECT_EQ(config.attention_scales.size(), 2U) << type;
  }
}

TEST(DecoderConfig, GivesLeftOutFieldsTheLibrarysDefaults) {
  const DecoderConfig config =
      parse(patched(llama_like_config("llama"), R"({"num_key_value_heads": null,
    "head_dim": null, "hidden_act": null, "rms_norm_eps": null, "tie_word_embeddings": null})"));
  EXPECT_EQ(config.key_value_heads, 4);
  EXPECT_EQ(config.head_dim, 2);
  EXPECT_EQ(config.activation, Activation::silu);
  EXPECT_EQ(config.norm_epsilon, 1e-6);
  EXPECT_EQ(config.rope.kind, RopeKind::plain);
  EXPECT_EQ(config.rope.theta, 10000.0);
}

TEST(DecoderConfig, KnowsWhichArchitectureHasWhichBiasesAndNorms) {
  struct Row {
    const char* type;
    const char* patch;
    Part query_key_value_bias;
    Part output_bias;
    Part mlp_bias;
    Part query_key_norm;
  };
  const Part yes = Part::present;
  const Part no = Part::absent;
  const Row rows[] = {
      {"llama", "{}", no, no, no, no},
      {"llama", R"({"attention_bias": true})", yes, yes, no, no},
      {"llama", R"({"mlp_bias": true})", no, no, yes, no},
      {"mistral", R"({"attention_bias": true, "mlp_bias": true})", no, no, no, no},
      {"qwen2", "{}", yes, no, no, no},
      {"qwen2", R"({"attention_bias": true})", yes, no, no, no},
      {"qwen3", "{}", no, no, no, yes},
      {"qwen3", R"({"attention_bias": true})", yes, yes, no, yes},
  };
  for (const Row& row : rows) {
    const DecoderConfig config = parse(patched(llama_like_config(row.type), row.patch));
    EXPECT_EQ(config.query_key_value_bias, row.query_key_value_bias) << row.type << row.patch;
    EXPECT_EQ(config.attention_output_bias, row.output_bias) << row.type << row.patch;
    EXPECT_EQ(config.mlp_bias, row.mlp_bias) << row.type << row.patch;
    EXPECT_EQ(config.query_key_norm, row.query_key_norm) << row.type << row.patch;
  }
}

TEST(DecoderConfig, KnowsTheActivationsByTheLibrarysNames) {
  const std::pair<const char*, Activation> rows[] = {
      {"silu", Activation::silu},           {"swish", Activation::silu},
      {"gelu", Activation::gelu},           {"gelu_new", Activation::gelu_new},
      {"gelu_fast", Activation::gelu_fast}, {"gelu_pytorch_tanh", Activation::gelu_pytorch_tanh},
      {"relu", Activation::relu},           {"relu2", Activation::relu2},
      {"tanh", Activation::tanh},           {"quick_gelu", Activation::quick_gelu},
  };
  for (const auto& [text, wanted] : rows) {
    EXPECT_EQ(
        parse(patched(llama_like_config("llama"), fmt::format(R"({{"hidden_act": "{}"}})", text)))
            .activation,
        wanted)
        << text;
    EXPECT_EQ(parse(patched(gpt2_config(), fmt::format(R"({{"activation_function": "{}"}})", text)))
                  .activation,
              wanted)
        << text;
  }
}

TEST(DecoderConfig, ReadsRotarySettingsInBothSpellings) {
  struct Row {
    const char* patch;
    RopeKind kind;
    double theta;
    double factor;
    std::int64_t original;
  };
  const Row rows[] = {
      {R"({"rope_theta": 500000})", RopeKind::plain, 500000, 1, 0},
      {R"({"rope_theta": 1e6, "rope_scaling": null})", RopeKind::plain, 1e6, 1, 0},
      {R"({"rope_parameters": {"rope_theta": 1e6, "rope_type": "default"}})", RopeKind::plain, 1e6,
       1, 0},
      {R"({"rope_parameters": {"rope_type": "default"}, "rope_theta": 77.0})", RopeKind::plain, 77,
       1, 0},
      {R"({"rope_scaling": {"type": "linear", "factor": 2.5}})", RopeKind::linear, 10000, 2.5, 0},
      {R"({"rope_scaling": {}, "rope_parameters": {"rope_type": "linear", "factor": 4}})",
       RopeKind::linear, 10000, 4, 0},
      {R"({"rope_parameters": {"rope_type": "linear", "factor": 4, "partial_rotary_factor": 1.0}})",
       RopeKind::linear, 10000, 4, 0},
      {R"({"rope_scaling": {"rope_type": "linear", "factor": 3}, "rope_parameters": {"rope_type": "default"}})",
       RopeKind::linear, 10000, 3, 0},
      {R"({"rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
          "high_freq_factor": 4, "original_max_position_embeddings": 32}})",
       RopeKind::llama3, 5e5, 8, 32},
      {R"({"rope_parameters": {"rope_theta": 5e5, "rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
          "high_freq_factor": 4}})",
       RopeKind::llama3, 5e5, 8, 64},
      {R"({"original_max_position_embeddings": 16, "rope_parameters": {"rope_type": "llama3", "factor": 8,
          "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 32}})",
       RopeKind::llama3, 10000, 8, 16},
  };
  for (const Row& row : rows) {
    const RopeConfig rope = parse(patched(llama_like_config("llama"), row.patch)).rope;
    EXPECT_EQ(rope.kind, row.kind) << row.patch;
    EXPECT_EQ(rope.theta, row.theta) << row.patch;
    EXPECT_EQ(rope.factor, row.factor) << row.patch;
    EXPECT_EQ(rope.original_max_positions, row.original) << row.patch;
  }
}

TEST(DecoderConfig, FindsTheWindowOfEachLayer) {
  struct Row {
    const char* type;
    const char* patch;
    std::vector<std::optional<std::int64_t>> windows;
  };
  const auto none = std::nullopt;
  const Row rows[] = {
      {"llama", R"({"sliding_window": 4})", {none, none}},
      {"mistral", R"({"sliding_window": 4})", {window(4), window(4)}},
      {"mistral", "{}", {window(4096), window(4096)}},
      {"qwen2", R"({"sliding_window": 4})", {none, none}},
      {"qwen2", R"({"sliding_window": 4, "use_sliding_window": true})", {none, none}},
      {"qwen2",
       R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 1})",
       {none, window(4)}},
      {"qwen3",
       R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 0})",
       {window(4), window(4)}},
      {"qwen3", R"({"use_sliding_window": true, "max_window_layers": 1})", {none, window(4096)}},
      {"qwen3",
       R"({"sliding_window": 4, "use_sliding_window": true, "layer_types": ["sliding_attention", "full_attention"]})",
       {window(4), none}},
      {"qwen2", R"({"layer_types": ["full_attention", "full_attention"]})", {none, none}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(parse(patched(llama_like_config(row.type), row.patch)).windows, row.windows)
        << row.type << row.patch;
  }
  json unwindowed = llama_like_config("mistral");
  unwindowed["sliding_window"] = nullptr;
  EXPECT_EQ(parse(unwindowed).windows, (std::vector<std::optional<std::int64_t>>{none, none}));
}

TEST(DecoderConfig, RefusesAnUnknownModelTypeAndListsTheKnownOnes) {
  const std::string message = refusal(R"({"model_type": "bert"})");
  for (const char* part :
       {"config.json", "'model_type'", "bert", "gpt2, llama, mistral, qwen2, qwen3"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  }
}

TEST(DecoderConfig, RefusesWhatIsNoConfig) {
  EXPECT_NE(refusal("{").find("no valid JSON"), std::string::npos);
  EXPECT_NE(refusal("").find("no valid JSON"), std::string::npos);
  EXPECT_NE(refusal("{\"a\": 1,}").find("a comma before the '}'"), std::string::npos);
  EXPECT_NE(refusal("\xef\xbb\xbf{}").find("byte order mark"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("JSON object"), std::string::npos);
  EXPECT_NE(refusal("{}").find("'model_type' is missing"), std::string::npos);
}

TEST(DecoderConfig, RefusesEveryMissingOrMistypedFieldByItsKey) {
  struct Row {
    json config;
    const char* key;
    const char* part;
  };
  const auto llama = [](const char* patch) { return patched(llama_like_config("llama"), patch); };
  const auto qwen2 = [](const char* patch) { return patched(llama_like_config("qwen2"), patch); };
  const auto qwen3 = [](const char* patch) { return patched(llama_like_config("qwen3"), patch); };
  const auto mistral = [](const char* patch) {
    return patched(llama_like_config("mistral"), patch);
  };
  const auto gpt2 = [](const char* patch) { return patched(gpt2_config(), patch); };
  const Row rows[] = {
      {llama(R"({"vocab_size": null})"), "vocab_size", "missing"},
      {llama(R"({"hidden_size": null})"), "hidden_size", "missing"},
      {llama(R"({"intermediate_size": null})"), "intermediate_size", "missing"},
      {llama(R"({"num_hidden_layers": null})"), "num_hidden_layers", "missing"},
      {llama(R"({"num_attention_heads": null})"), "num_attention_heads", "missing"},
      {llama(R"({"max_position_embeddings": null})"), "max_position_embeddings", "missing"},
      {mistral(R"({"num_key_value_heads": null})"), "num_key_value_heads", "missing"},
      {qwen2(R"({"num_key_value_heads": null})"), "num_key_value_heads", "missing"},
      {qwen3(R"({"head_dim": null})"), "head_dim", "missing"},
      {gpt2(R"({"n_embd": null})"), "n_embd", "missing"},
      {gpt2(R"({"n_positions": null})"), "n_positions", "missing"},
      {llama(R"({"hidden_size": "8"})"), "hidden_size", "\"8\""},
      {llama(R"({"hidden_size": 8.0})"), "hidden_size", "8.0"},
      {llama(R"({"hidden_size": 0})"), "hidden_size", "whole number"},
      {llama(R"({"hidden_size": -8})"), "hidden_size", "-8"},
      {llama(R"({"hidden_size": 18446744073709551615})"), "hidden_size", "18446744073709551615"},
      {llama(R"({"num_hidden_layers": 2147483647})"), "num_hidden_layers", "more layers"},
      {llama(R"({"num_attention_heads": 3, "head_dim": null})"), "num_attention_heads", "evenly"},
      {llama(R"({"hidden_size": 9, "head_dim": null})"), "hidden_size", "evenly"},
      {llama(R"({"head_dim": 5})"), "head_dim", "even"},
      {gpt2(R"({"n_head": 3})"), "n_embd", "evenly"},
      {llama(R"({"rms_norm_eps": "small"})"), "rms_norm_eps", "number above 0"},
      {llama(R"({"rms_norm_eps": 0})"), "rms_norm_eps", "number above 0"},
      {llama(R"({"tie_word_embeddings": 1})"), "tie_word_embeddings", "true or false"},
      {llama(R"({"attention_bias": "no"})"), "attention_bias", "true or false"},
      {llama(R"({"hidden_act": "xielu"})"), "hidden_act", "xielu"},
      {llama(R"({"hidden_act": 3})"), "hidden_act", "string"},
      {gpt2(R"({"activation_function": "mish"})"), "activation_function", "mish"},
      {llama(R"({"rope_theta": -1})"), "rope_theta", "above 0"},
      {llama(R"({"rope_scaling": "linear"})"), "rope_scaling", "object"},
      {llama(R"({"rope_scaling": {"type": "linear"}})"), "factor", "missing"},
      {llama(R"({"rope_scaling": {"type": "dynamic", "factor": 2}})"), "type", "dynamic"},
      {llama(R"({"rope_scaling": {"rope_type": "yarn", "factor": 2}})"), "rope_type", "yarn"},
      {llama(R"({"rope_parameters": {"rope_type": "longrope"}})"), "rope_type", "longrope"},
      {qwen2(R"({"rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 1]}})"), "type",
       "mrope"},
      {llama(R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})"),
       "rope_parameters", "full_attention"},
      {llama(R"({"rope_parameters": {"rope_type": "llama3", "factor": 2, "low_freq_factor": 1}})"),
       "high_freq_factor", "missing"},
      {llama(R"({"rope_parameters": {"rope_type": "llama3", "factor": 2, "low_freq_factor": 4,
                "high_freq_factor": 4}})"),
       "high_freq_factor", "above low_freq_factor"},
      {llama(R"({"partial_rotary_factor": 0.5})"), "partial_rotary_factor", "0.5"},
      {llama(R"({"rope_parameters": {"partial_rotary_factor": 0.25}})"), "partial_rotary_factor",
       "0.25"},
      {mistral(R"({"sliding_window": 0})"), "sliding_window", "whole number"},
      {qwen2(R"({"layer_types": ["full_attention"]})"), "layer_types", "list of 2"},
      {qwen2(R"({"layer_types": ["full_attention", "sliding_attention"]})"), "layer_types",
       "layer 1"},
      {qwen2(R"({"layer_types": ["full_attention", "chunked_attention"]})"), "layer_types",
       "layer 1"},
      {llama(R"({"quantization_config": {"bits": 4}})"), "quantization_config", "quantised"},
      {gpt2(R"({"add_cross_attention": true})"), "add_cross_attention", "encoder"},
      {llama(R"({"is_causal": false})"), "is_causal", "causal"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(row.config.dump());
    EXPECT_NE(message.find(fmt::format("'{}' ", row.key)), std::string::npos)
        << row.key << " in: " << message;
    EXPECT_NE(message.find(row.part), std::string::npos) << row.part << " in: " << message;
    EXPECT_EQ(message.find("config.json"), 0U) << message;
  }
}

TEST(DecoderConfig, ReadsAFileAndRefusesOneThatIsNotThere) {
  const auto file = std::filesystem::temp_directory_path() / "parity_decoder_config_test.json";
  std::ofstream(file) << gpt2_config().dump();
  EXPECT_EQ(read_decoder_config(file).vocabulary, 11);
  std::filesystem::remove(file);
  try {
    (void)read_decoder_config(file);
    FAIL() << "a missing file was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parity::model
