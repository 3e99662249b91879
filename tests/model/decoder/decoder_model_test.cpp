// The decoder behind the Model interface: taps and their order, errors, repeated runs, weights left
// mapped.
#include "model/decoder/decoder_model.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "decoder_fixture.h"
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"

namespace parity::model {
namespace {

using nlohmann::json;
using tensor::DType;
using tensor::Value;

using DecoderModelTest = DecoderFixture;

Value five_tokens() { return ids({1, 5}, {1, 2, 3, 10, 0}); }

std::vector<std::string> names_of(Model& model) {
  CollectingSink sink;
  model.run(five_tokens(), Instrumentation::taps, sink);
  return sink.names;
}

TEST_F(DecoderModelTest, TapsEveryModuleOfLlamaAsItFinishes) {
  write(patched(llama_like_config("llama"), R"({"num_hidden_layers": 1})"));
  EXPECT_EQ(names_of(*open_decoder(source, settings)),
            (std::vector<std::string>{"model.embed_tokens",
                                      "model.rotary_emb:0",
                                      "model.rotary_emb:1",
                                      "model.layers.0.input_layernorm",
                                      "model.layers.0.self_attn.q_proj",
                                      "model.layers.0.self_attn.k_proj",
                                      "model.layers.0.self_attn.v_proj",
                                      "model.layers.0.self_attn/aten.scaled_dot_product_attention",
                                      "model.layers.0.self_attn.o_proj",
                                      "model.layers.0.self_attn",
                                      "model.layers.0.post_attention_layernorm",
                                      "model.layers.0.mlp.gate_proj",
                                      "model.layers.0.mlp.act_fn",
                                      "model.layers.0.mlp.up_proj",
                                      "model.layers.0.mlp.down_proj",
                                      "model.layers.0.mlp",
                                      "model.layers.0",
                                      "model.norm",
                                      "model",
                                      "lm_head",
                                      "<output>"}));
}

TEST_F(DecoderModelTest, TapsEveryModuleOfGpt2AsItFinishes) {
  write(patched(gpt2_config(), R"({"n_layer": 1})"));
  EXPECT_EQ(names_of(*open_decoder(source, settings)),
            (std::vector<std::string>{"transformer.wte",
                                      "transformer.wpe",
                                      "transformer.drop",
                                      "transformer.h.0.ln_1",
                                      "transformer.h.0.attn.c_attn",
                                      "transformer.h.0.attn/aten.scaled_dot_product_attention",
                                      "transformer.h.0.attn.c_proj",
                                      "transformer.h.0.attn.resid_dropout",
                                      "transformer.h.0.attn",
                                      "transformer.h.0.ln_2",
                                      "transformer.h.0.mlp.c_fc",
                                      "transformer.h.0.mlp.act",
                                      "transformer.h.0.mlp.c_proj",
                                      "transformer.h.0.mlp.dropout",
                                      "transformer.h.0.mlp",
                                      "transformer.h.0",
                                      "transformer.ln_f",
                                      "transformer",
                                      "lm_head",
                                      "<output>"}));
}

TEST_F(DecoderModelTest, AddsOperatorsInsideModulesAtDepthOps) {
  write(patched(llama_like_config("llama"), R"({"num_hidden_layers": 1})"));
  settings.taps = run::TapDepth::ops;
  const auto names = names_of(*open_decoder(source, settings));
  for (const char* wanted :
       {"model.layers.0.self_attn/rotary.query", "model.layers.0.self_attn/rotary.key",
        "model.layers.0/aten.add", "model.layers.0/aten.add#1", "model.layers.0.mlp/aten.mul",
        "model.norm/aten.mean"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  }
}

TEST_F(DecoderModelTest, GivesTheSameBitsRunAfterRunAndUnwatched) {
  write(llama_like_config("qwen3"));
  const auto model = open_decoder(source, settings);
  const auto output = [&](Instrumentation instrumentation) {
    CollectingSink sink;
    model->run(five_tokens(), instrumentation, sink);
    EXPECT_EQ(sink.names.back(), "<output>");
    EXPECT_EQ(sink.names.size() == 1, instrumentation == Instrumentation::outputs_only);
    const auto bytes = sink.tensors.at("<output>").bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const auto first = output(Instrumentation::taps);
  EXPECT_EQ(first.size(), 5U * 11U * sizeof(float));
  EXPECT_EQ(output(Instrumentation::taps), first);
  EXPECT_EQ(output(Instrumentation::outputs_only), first);
}

TEST_F(DecoderModelTest, DescribesItself) {
  write(gpt2_config(), "lm_head.weight");
  const auto model = open_decoder(source, settings);
  EXPECT_EQ(model->description().kind, "decoder:gpt2");
  EXPECT_EQ(model->description().file_name, "model.safetensors");
  EXPECT_EQ(model->description().parameter_count, 11U * 8 + 16 * 8 + 2 * 872 + 16);
  EXPECT_EQ(model->description().weights.size(), 2U + 2 * 12 + 2);
  EXPECT_EQ(model->vocabulary(), 11);
  EXPECT_EQ(model->provenance().get("model.kind"), "decoder:gpt2");
  EXPECT_EQ(model->provenance().get("model.dtype"), "float32");
  EXPECT_TRUE(model->is_logits(
      {.kind = run::TapKind::output, .path = "<output>", .op = "", .call = 0, .port = ""},
      {1, 5, 11}, five_tokens()));
  EXPECT_FALSE(model->is_logits(
      {.kind = run::TapKind::module, .path = "lm_head", .op = "", .call = 0, .port = ""},
      {1, 5, 11}, five_tokens()));
}

TEST_F(DecoderModelTest, CastsWeightsToTheDtypeAskedFor) {
  write(llama_like_config("mistral"));
  settings.dtype = DType::bfloat16;
  const auto model = open_decoder(source, settings);
  EXPECT_EQ(model->provenance().get("model.dtype"), "bfloat16");
  CollectingSink sink;
  model->run(five_tokens(), Instrumentation::taps, sink);
  for (const auto& [name, tensor] : sink.tensors) {
    EXPECT_EQ(tensor.dtype(), DType::bfloat16) << name;
  }
}

TEST_F(DecoderModelTest, RoundsWeightsBeforeItWidensThem) {
  write(llama_like_config("mistral"));
  settings.dtype = DType::float64;
  settings.rounded_to = DType::bfloat16;
  CollectingSink sink;
  open_decoder(source, settings)->run(five_tokens(), Instrumentation::taps, sink);
  const tensor::HostTensor& embedded = sink.tensors.at("model.embed_tokens");
  ASSERT_EQ(embedded.dtype(), DType::float64);
  std::vector<double> values(embedded.bytes().size() / sizeof(double));
  std::memcpy(values.data(), embedded.bytes().data(), embedded.bytes().size());
  for (const double value : values) {
    constexpr double kSteps = 256;  // of bfloat16 between two powers of two, twice
    int exponent = 0;
    const double significand = std::frexp(value, &exponent) * kSteps;
    EXPECT_EQ(significand, std::round(significand)) << value;
  }
}

TEST_F(DecoderModelTest, RefusesWeightsWithoutAConfig) {
  write(gpt2_config());
  source.config.clear();
  try {
    (void)open_decoder(source, settings);
    FAIL() << "opened without a config";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("--config"), std::string::npos) << error.what();
  }
}

TEST_F(DecoderModelTest, KnowsSavedInputsFromWeights) {
  const std::string header =
      R"({"input_ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}      )";
  const std::uint64_t size = header.size();
  std::ofstream file(source.model, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file << header << "12345678";
  file.close();
  for (const char* config : {"", "config.json"}) {
    source.config = config;
    EXPECT_NE(
        refusal().find("holds `input_ids`, which is no decoder's weight; if these are inputs"),
        std::string::npos)
        << refusal();
  }
}

TEST_F(DecoderModelTest, NotesSequencesPastTheLengthThatTheConfigStates) {
  json config = llama_like_config("llama");
  config["max_position_embeddings"] = 2;
  write(config);
  const std::unique_ptr<Model> model = open_decoder(source, settings);
  CollectingSink sink;
  model->run(ids({1, 2}, {1, 2}), Instrumentation::taps, sink);
  const std::vector<std::string> before = model->notes();
  for (int run = 0; run < 2; ++run) model->run(ids({1, 3}, {1, 2, 3}), Instrumentation::taps, sink);
  ASSERT_EQ(model->notes().size(), before.size() + 1);
  EXPECT_NE(model->notes().back().find("position 2 is past the 2 positions"), std::string::npos)
      << model->notes().back();
}

TEST_F(DecoderModelTest, NamesTheWeightThatIsMissing) {
  write(llama_like_config("llama"), "model.layers.1.mlp.up_proj.weight");
  EXPECT_NE(refusal().find("1 missing (model.layers.1.mlp.up_proj.weight)"), std::string::npos)
      << refusal();
}

TEST_F(DecoderModelTest, RunsOnAfterARefusedInput) {
  write(gpt2_config());
  const auto model = open_decoder(source, settings);
  CollectingSink sink;
  EXPECT_THROW(model->run(ids({1, 1}, {11}), Instrumentation::taps, sink), Error);
  EXPECT_THROW(
      model->run(ids({1, 17}, std::vector<std::int64_t>(17, 1)), Instrumentation::taps, sink),
      Error);
  EXPECT_TRUE(sink.names.empty()) << "a refused input fires no tap";
  model->run(five_tokens(), Instrumentation::taps, sink);
  EXPECT_EQ(sink.names.back(), "<output>");
}

/// Warns at every tap, as an operator might that runs there.
class WarningSink final : public run::TapSink {
 public:
  void on_tap(const run::TapId&, const run::DeviceTensor&) override {
    TORCH_WARN("scale is deprecated");
  }
  void on_skipped(const run::TapId&, const std::string&) override {}
};

TEST_F(DecoderModelTest, TurnsWarningsIntoNotesAndKeepsThemOffStderr) {
  write(gpt2_config());
  const auto model = open_decoder(source, settings);
  const std::size_t before = model->notes().size();
  WarningSink sink;
  testing::internal::CaptureStderr();
  model->run(five_tokens(), Instrumentation::taps, sink);
  model->run(five_tokens(), Instrumentation::taps, sink);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(model->notes().size(), before + 1) << "each warning once";
  EXPECT_NE(model->notes().back().find("scale is deprecated"), std::string::npos);
}

class CurrentGpuSink final : public run::TapSink {
 public:
  void on_tap(const run::TapId&, const run::DeviceTensor&) override {
    current = c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice().index();
  }
  void on_skipped(const run::TapId&, const std::string&) override {}

  int current = -1;
};

TEST_F(DecoderModelTest, MakesTheGpuAskedForTheCurrentOneWhileItRuns) {
  settings.device = "cuda:1";
  write(gpt2_config());
  std::unique_ptr<Model> model;
  try {
    model = open_decoder(source, settings);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    GTEST_SKIP() << "needs two GPUs: " << error.what();
  }
  CurrentGpuSink sink;
  model->run(five_tokens(), Instrumentation::taps, sink);
  EXPECT_EQ(sink.current, 1);
  EXPECT_EQ(c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice().index(), 0);
}

/// Norm-wise distance of the logits of one row of tokens to those of the same tokens elsewhere in a
/// batch.
TEST_F(DecoderModelTest, PaddingOnTheRightDoesNotChangeTheTokensBeforeIt) {
  write(llama_like_config("qwen2"));
  const auto model = open_decoder(source, settings);
  CollectingSink plain;
  model->run(ids({1, 3}, {4, 5, 6}), Instrumentation::outputs_only, plain);
  CollectingSink padded;
  model->run({tensor::ValueDict{{{"input_ids", ids({1, 5}, {4, 5, 6, 0, 0})},
                                 {"attention_mask", ids({1, 5}, {1, 1, 1, 0, 0})}}}},
             Instrumentation::outputs_only, padded);
  const auto* reference =
      reinterpret_cast<const float*>(plain.tensors.at("<output>").bytes().data());
  const auto* candidate =
      reinterpret_cast<const float*>(padded.tensors.at("<output>").bytes().data());
  for (std::size_t i = 0; i < 3 * 11; ++i) {
    EXPECT_NEAR(reference[i], candidate[i], 1e-4F) << "element " << i;
  }
}

}  // namespace
}  // namespace parity::model
