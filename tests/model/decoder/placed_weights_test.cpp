// Weights that are brought layer by layer give the bits of those that stay, on the CPU, where they
// come without streams and pinned memory, and where several devices are the one CPU named again;
// tests/cli/device.sh holds the same on GPUs.
#include <algorithm>
#include <string>
#include <vector>

#include "decoder_fixture.h"
#include <gtest/gtest.h>

#include "model/collecting_sink.h"
#include "model/decoder/weight_placement.h"

namespace parity::model {
namespace {

class PlacedWeights : public DecoderFixture {
 protected:
  CollectingSink taps(const run::Settings& wanted, const tensor::Value& inputs) const {
    CollectingSink sink;
    open_decoder(source, wanted)->run(inputs, Instrumentation::taps, sink);
    return sink;
  }

  /// Once and again with the same model: nothing that a run leaves behind counts.
  void expect_the_same(const run::Settings& other, const tensor::Value& inputs) const {
    const CollectingSink whole = taps(settings, inputs);
    const auto model = open_decoder(source, other);
    for (int turn = 0; turn < 2; ++turn) {
      CollectingSink sink;
      model->run(inputs, Instrumentation::taps, sink);
      ASSERT_EQ(sink.names, whole.names);
      for (const auto& [name, tensor] : whole.tensors)
        EXPECT_TRUE(std::ranges::equal(sink.tensors.at(name).bytes(), tensor.bytes())) << name;
    }
  }
};

std::vector<nlohmann::json> configs() {
  const std::string four = R"({"num_hidden_layers": 4, "tie_word_embeddings": true})";
  return {patched(llama_like_config("llama"), four),
          patched(llama_like_config("qwen3"), R"({"num_hidden_layers": 4})"),
          patched(gpt2_config(), R"({"n_layer": 4})")};
}

tensor::Value prompt() { return ids({2, 3}, {1, 2, 3, 10, 0, 4}); }

TEST_F(PlacedWeights, ThatAreStreamedGiveTheSameBits) {
  for (const nlohmann::json& config : configs()) {
    write(config);
    for (const std::uint64_t budget_bytes : {std::uint64_t{0}, std::uint64_t{12'000}}) {
      run::Settings streamed = settings;
      streamed.streaming = run::WeightStreaming{budget_bytes};
      expect_the_same(streamed, prompt());
    }
  }
}

TEST_F(PlacedWeights, OverSeveralDevicesGiveTheSameBits) {
  for (const nlohmann::json& config : configs()) {
    write(config);
    run::Settings spread = settings;
    spread.devices = {"cpu", "cpu", "cpu"};
    expect_the_same(spread, prompt());
    spread.streaming = run::WeightStreaming{};
    expect_the_same(spread, prompt());
  }
}

TEST_F(PlacedWeights, DecodeInFloat64) {
  write(configs()[0]);
  settings.dtype = tensor::DType::float64;
  const auto model = open_decoder(source, settings);
  const tensor::Value inputs = model->with_greedy_tokens(prompt(), 3);
  run::Settings streamed = settings;
  streamed.streaming = run::WeightStreaming{};
  streamed.devices = {"cpu", "cpu"};
  expect_the_same(streamed, inputs);
  const auto other = open_decoder(source, streamed);
  EXPECT_EQ(other->provenance().get("run.weights"), "streamed");
  EXPECT_EQ(other->provenance().get("run.devices"), "cpu cpu");
  EXPECT_EQ(other->provenance().get("device.name"), model->provenance().get("device.name"));
}

TEST_F(PlacedWeights, AreSaidInTheNotes) {
  write(configs()[0]);
  settings.streaming = run::WeightStreaming{};
  settings.devices = {"cpu", "cpu"};
  std::string notes;
  for (const std::string& note : open_decoder(source, settings)->notes()) notes += note + "\n";
  EXPECT_NE(notes.find("layers 0 to 3 on cpu"), std::string::npos) << notes;
  EXPECT_NE(notes.find("6 of 6 parts"), std::string::npos) << notes;
}

TEST_F(PlacedWeights, HaveNoBudgetOnTheCpu) {
  write(configs()[0]);
  settings.streaming = run::WeightStreaming{10};
  EXPECT_EQ(refusal(), "opened") << "as a truth beside a recording on a GPU";
}

TEST_F(PlacedWeights, NeverRunOnOtherDevicesThanTheSettingsSay) {
  write(configs()[0]);
  settings.devices = {"cuda:0", "cuda:1"};
  EXPECT_DEATH((void)open_decoder(source, settings), "internal check failed");
}

TEST(EachOnce, TakesNoNameForAPartOfAnother) {
  EXPECT_EQ(each_once({"NVIDIA H200"}), "NVIDIA H200");
  EXPECT_EQ(each_once({"NVIDIA H200", "NVIDIA H200"}), "NVIDIA H200");
  EXPECT_EQ(each_once({"NVIDIA H200 NVL", "NVIDIA H200", "NVIDIA H200 NVL"}),
            "NVIDIA H200 NVL and NVIDIA H200");
}

TEST_F(PlacedWeights, RefuseMoreDevicesThanLayers) {
  write(configs()[0]);
  settings.devices = std::vector<std::string>(5, "cpu");
  EXPECT_NE(refusal().find("--devices names 5 devices"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace parity::model
