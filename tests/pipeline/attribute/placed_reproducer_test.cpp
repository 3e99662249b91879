// What is blamed, and what --repro writes of it, is the same wherever the weights of a decoder lie:
// the slice is TorchScript on one device, and bringing a weight is no operator of the model's.
#include <gtest/gtest.h>

#include "golden_store/golden_reader.h"
#include "model/decoder/decoder_fixture.h"
#include "pipeline/compare/compare.h"
#include "pipeline/record/record.h"

namespace parity::pipeline {
namespace {

class PlacedReproducer : public model::DecoderFixture {
 protected:
  void record() {
    write(model::llama_like_config("llama"));
    settings.dtype = tensor::DType::float64;  // a cast of every weight that comes
    RecordRequest request;
    request.out = file("golden.h5");
    request.settings = settings;
    request.cases = {{"one", "tokens:2x6:11"}};
    golden_store::GoldenWriter writer(request.out, {});
    const OpenModel again = [this](const run::Settings& other) {
      return model::open_model(source, other);
    };
    (void)record_cases(model::open_model(source, settings), again, writer, request, progress_);
  }

  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return source.model.parent_path() / name;
  }

  report::Report replay(const run::Settings& placed, const std::string& folder) {
    const golden_store::GoldenReader golden(file("golden.h5"));
    ReplayRequest wanted;
    wanted.compare.golden = file("golden.h5");
    wanted.compare.weights = WeightsRule::any;
    wanted.settings = placed;
    wanted.attribution = AttributionPass::forced;
    wanted.reproducer = file(folder);
    const auto candidate = model::open_model(source, placed);
    return replay_cases(*candidate, golden, nullptr, wanted, progress_);
  }

 private:
  NoProgress progress_;
};

std::vector<std::string> blamed_operators(const report::Report& report) {
  std::vector<std::string> names;
  for (const auto& blame : report.attribution->blame) {
    names.push_back(run::to_string(blame.tap));
    for (const auto& one : blame.operators) names.push_back(one.name);
  }
  return names;
}

/// A layer's weights come before the first of its taps, so that one is blamed as well.
TEST_F(PlacedReproducer, IsTheSameWhereverWeightsLie) {
  run::Settings streamed = settings;
  streamed.streaming = run::WeightStreaming{};
  run::Settings spread = settings;
  spread.devices = {"cpu", "cpu"};
  run::Settings both = spread;
  both.streaming = run::WeightStreaming{};

  for (const std::string layer :
       {"model.layers.1.input_layernorm", "model.layers.1.mlp.down_proj"}) {
    record();
    fill(layer + ".weight", 0.25F);
    const std::vector<std::string> operators = blamed_operators(replay(settings, layer));
    ASSERT_GE(operators.size(), 2U);
    EXPECT_EQ(operators.front(), layer);
    for (const auto& [placed, name] :
         {std::pair(streamed, "streamed"), std::pair(spread, "spread"), std::pair(both, "both")}) {
      const std::string folder = layer + "." + name;
      const report::Report report = replay(placed, folder);
      EXPECT_EQ(report.reproducer_failure, "") << folder;
      EXPECT_EQ(blamed_operators(report), operators) << folder;
      for (const char* written : {"operator.pt", "golden.h5", "reproduce.py"})
        EXPECT_TRUE(std::filesystem::exists(file(folder) / written)) << folder << "/" << written;
    }
  }
}

}  // namespace
}  // namespace parity::pipeline
