// Which tensor of a file is which parameter, and what is said when they do not fit the config.
#include "model/decoder/weight_layout.h"

#include <algorithm>

#include "sample_configs.h"
#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::model {
namespace {

using tensor::DType;

DecoderConfig parse(const nlohmann::json& config) {
  return parse_decoder_config(config.dump(), "config.json");
}

StateDict state_dict(const std::vector<Parameter>& parameters) {
  StateDict weights;
  for (const Parameter& parameter : parameters) {
    StoredTensor stored;
    stored.name = parameter.name;
    stored.shape = parameter.shape;
    weights.tensors.push_back(stored);
  }
  return weights;
}

StoredTensor& find(StateDict& weights, const std::string& name) {
  return *std::find_if(weights.tensors.begin(), weights.tensors.end(),
                       [&](const StoredTensor& stored) { return stored.name == name; });
}

void rename(StateDict& weights, const std::string& from, const std::string& to) {
  find(weights, from).name = to;
}

void remove(StateDict& weights, const std::string& name) {
  std::erase_if(weights.tensors, [&](const StoredTensor& stored) { return stored.name == name; });
}

void strip_prefix(StateDict& weights, const std::string& prefix) {
  for (StoredTensor& stored : weights.tensors) {
    if (stored.name.starts_with(prefix)) {
      stored.name.erase(0, prefix.size());
    }
  }
}

std::string refusal(const DecoderConfig& config, const StateDict& weights) {
  try {
    (void)bind_weights(config, weights);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "accepted";
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST(WeightLayout, NamesParametersAsTheLibraryDoes) {
  const auto has = [](const std::vector<Parameter>& list, const char* name,
                      const tensor::Shape& shape) {
    return std::any_of(list.begin(), list.end(), [&](const Parameter& one) {
      return one.name == name && one.shape == shape;
    });
  };
  const auto qwen3 = parameters_of(parse(llama_like_config("qwen3")));
  EXPECT_TRUE(has(qwen3, "model.embed_tokens.weight", {11, 8}));
  EXPECT_TRUE(has(qwen3, "model.layers.1.self_attn.q_proj.weight", {24, 8}));
  EXPECT_TRUE(has(qwen3, "model.layers.1.self_attn.k_proj.weight", {12, 8}));
  EXPECT_TRUE(has(qwen3, "model.layers.1.self_attn.o_proj.weight", {8, 24}));
  EXPECT_TRUE(has(qwen3, "model.layers.0.self_attn.k_norm.weight", {6}));
  EXPECT_TRUE(has(qwen3, "model.layers.0.mlp.down_proj.weight", {8, 12}));
  EXPECT_TRUE(has(qwen3, "lm_head.weight", {11, 8}));
  const auto gpt2 = parameters_of(parse(gpt2_config()));
  EXPECT_TRUE(has(gpt2, "transformer.wpe.weight", {16, 8}));
  EXPECT_TRUE(has(gpt2, "transformer.h.1.attn.c_attn.weight", {8, 24}))
      << "Conv1D keeps inputs first";
  EXPECT_TRUE(has(gpt2, "transformer.h.1.mlp.c_proj.weight", {32, 8}));
  EXPECT_TRUE(has(gpt2, "transformer.ln_f.bias", {8}));
}

TEST(WeightLayout, BindsNamesWithAndWithoutTheLeadingPrefix) {
  for (const char* type : {"gpt2", "llama", "mistral", "qwen2", "qwen3"}) {
    const bool gpt2 = std::string(type) == "gpt2";
    const DecoderConfig config = parse(gpt2 ? gpt2_config() : llama_like_config(type));
    const auto parameters = parameters_of(config);
    StateDict weights = state_dict(parameters);
    const WeightBinding full = bind_weights(config, weights);
    EXPECT_EQ(full.tensors.size(), parameters.size()) << type;
    strip_prefix(weights, gpt2 ? "transformer." : "model.");
    const WeightBinding bare = bind_weights(config, weights);
    EXPECT_EQ(full.tensors, bare.tensors) << type;
    EXPECT_TRUE(bare.notes.empty()) << type;
  }
}

TEST(WeightLayout, CountsElementsAndATiedWeightOnce) {
  const DecoderConfig tied = parse(gpt2_config());
  StateDict weights = state_dict(parameters_of(tied));
  const std::uint64_t both = bind_weights(tied, weights).parameter_count;
  remove(weights, "lm_head.weight");
  EXPECT_EQ(bind_weights(tied, weights).parameter_count, both - 11 * 8);
}

TEST(WeightLayout, TakesATiedWeightUnderEitherName) {
  const DecoderConfig tied =
      parse(patched(llama_like_config("llama"), R"({"tie_word_embeddings": true})"));
  StateDict weights = state_dict(parameters_of(tied));
  remove(weights, "lm_head.weight");
  WeightBinding binding = bind_weights(tied, weights);
  EXPECT_EQ(binding.tensors.at("lm_head.weight"), binding.tensors.at("model.embed_tokens.weight"));
  EXPECT_TRUE(binding.notes.empty());

  rename(weights, "model.embed_tokens.weight", "lm_head.weight");
  binding = bind_weights(tied, weights);
  EXPECT_EQ(binding.tensors.at("lm_head.weight"), binding.tensors.at("model.embed_tokens.weight"));
  EXPECT_EQ(binding.notes.size(), 1U);
}

TEST(WeightLayout, KeepsAnOutputWeightOfItsOwnThoughTheConfigTies) {
  const DecoderConfig tied = parse(gpt2_config());
  const WeightBinding binding = bind_weights(tied, state_dict(parameters_of(tied)));
  EXPECT_NE(binding.tensors.at("lm_head.weight"), binding.tensors.at("transformer.wte.weight"));
}

TEST(WeightLayout, RefusesAMissingOutputWeightOfAnUntiedModel) {
  const DecoderConfig untied = parse(llama_like_config("llama"));
  StateDict weights = state_dict(parameters_of(untied));
  remove(weights, "lm_head.weight");
  expect_part(refusal(untied, weights), "1 missing (lm_head.weight)");
}

TEST(WeightLayout, ListsMissingUnexpectedAndMisshapedTensorsByName) {
  const DecoderConfig config = parse(llama_like_config("llama"));
  StateDict weights = state_dict(parameters_of(config));
  rename(weights, "model.norm.weight", "model.norm.gamma");
  find(weights, "model.layers.1.mlp.up_proj.weight").shape = {8, 12};
  const std::string message = refusal(config, weights);
  expect_part(message, "1 missing (model.norm.weight)");
  expect_part(message, "1 unexpected (model.norm.gamma)");
  expect_part(message, "model.layers.1.mlp.up_proj.weight is 8x12, the config asks for 12x8");
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(WeightLayout, CutsALongListButSaysHowLongItIs) {
  const DecoderConfig config = parse(llama_like_config("llama"));
  const std::string message = refusal(config, StateDict{});
  expect_part(message, "21 missing");
  expect_part(message, "and 13 more");
}

TEST(WeightLayout, RefusesBiasesThatTheArchitectureHasNot) {
  const DecoderConfig config = parse(llama_like_config("mistral"));
  StateDict weights = state_dict(parameters_of(parse(llama_like_config("qwen2"))));
  expect_part(refusal(config, weights), "model.layers.0.self_attn.k_proj.bias");
}

TEST(WeightLayout, IgnoresOldMaskAndRotaryBuffersWithANote) {
  const DecoderConfig gpt2 = parse(gpt2_config());
  StateDict masks = state_dict(parameters_of(gpt2));
  for (const char* name : {"transformer.h.0.attn.bias", "h.1.attn.masked_bias"}) {
    masks.tensors.push_back({});
    masks.tensors.back().name = name;
  }
  WeightBinding binding = bind_weights(gpt2, masks);
  ASSERT_EQ(binding.notes.size(), 1U);
  expect_part(binding.notes[0], "h.1.attn.masked_bias");
  EXPECT_FALSE(binding.tensors.contains("transformer.h.0.attn.bias"));
  EXPECT_TRUE(binding.tensors.contains("transformer.h.0.attn.c_attn.bias"));

  const DecoderConfig llama = parse(llama_like_config("llama"));
  StateDict frequencies = state_dict(parameters_of(llama));
  frequencies.tensors.push_back({});
  frequencies.tensors.back().name = "model.layers.0.self_attn.rotary_emb.inv_freq";
  binding = bind_weights(llama, frequencies);
  ASSERT_EQ(binding.notes.size(), 1U);
  expect_part(binding.notes[0], "model.layers.0.self_attn.rotary_emb.inv_freq");
}

TEST(WeightLayout, RefusesTwoNamesForOneParameter) {
  const DecoderConfig config = parse(llama_like_config("llama"));
  StateDict weights = state_dict(parameters_of(config));
  weights.tensors.push_back({});
  weights.tensors.back().name = "norm.weight";
  const std::string message = refusal(config, weights);
  expect_part(message, "'model.norm.weight' and 'norm.weight'");
}

TEST(WeightLayout, RunsInTheOneDtypeOfTheWeightsOrTheOneAskedFor) {
  const DecoderConfig config = parse(llama_like_config("llama"));
  StateDict weights = state_dict(parameters_of(config));
  const WeightBinding binding = bind_weights(config, weights);
  EXPECT_EQ(run_dtype(weights, binding, std::nullopt), DType::float32);
  EXPECT_EQ(run_dtype(weights, binding, DType::bfloat16), DType::bfloat16);
  for (StoredTensor& stored : weights.tensors) {
    stored.dtype = DType::float16;
  }
  EXPECT_EQ(run_dtype(weights, binding, std::nullopt), DType::float16);

  find(weights, "model.norm.weight").dtype = DType::float32;
  EXPECT_EQ(run_dtype(weights, binding, DType::float32), DType::float32);
  try {
    (void)run_dtype(weights, binding, std::nullopt);
    FAIL() << "mixed dtypes were accepted";
  } catch (const Error& error) {
    expect_part(error.what(), "model.norm.weight (float32)");
    expect_part(error.what(), "--dtype");
  }
}

TEST(WeightLayout, RefusesWeightsThatAreNotOrdinaryFloats) {
  const DecoderConfig config = parse(llama_like_config("llama"));
  for (const DType dtype : {DType::int8, DType::float8_e4m3fn, DType::complex64, DType::boolean}) {
    StateDict weights = state_dict(parameters_of(config));
    find(weights, "model.norm.weight").dtype = dtype;
    const WeightBinding binding = bind_weights(config, weights);
    try {
      (void)run_dtype(weights, binding, DType::float32);
      FAIL() << tensor::name(dtype) << " was accepted";
    } catch (const Error& error) {
      expect_part(error.what(), "model.norm.weight");
      expect_part(error.what(), std::string(tensor::name(dtype)));
    }
  }
}

}  // namespace
}  // namespace parity::model
