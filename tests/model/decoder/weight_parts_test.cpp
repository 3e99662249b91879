// Which weights are on a device together, where, and which of them stay.
#include "model/decoder/weight_parts.h"

#include <algorithm>
#include <numeric>

#include "sample_configs.h"
#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::model {
namespace {

using enum Stay;

std::vector<WeightPart> parts_of(const nlohmann::json& text, tensor::DType dtype) {
  const DecoderConfig config = parse_decoder_config(text.dump(), "config.json");
  StateDict weights;
  for (const Parameter& parameter : parameters_of(config)) {
    StoredTensor stored;
    stored.name = parameter.name;
    stored.shape = parameter.shape;
    weights.tensors.push_back(stored);
  }
  return weight_parts(config, weights, bind_weights(config, weights), dtype);
}

std::vector<WeightPart> sized(const std::vector<std::uint64_t>& sizes) {
  std::vector<WeightPart> parts;
  for (const std::uint64_t size : sizes) parts.push_back({{}, size});
  return parts;
}

TEST(WeightParts, HoldEmbeddingsThenEachLayerThenTheRest) {
  const std::vector<WeightPart> parts =
      parts_of(llama_like_config("qwen3"), tensor::DType::bfloat16);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].names, (std::vector<std::string>{"model.embed_tokens.weight"}));
  EXPECT_EQ(parts[0].size_bytes, 11U * 8U * 2U);
  for (const std::size_t layer : {std::size_t{0}, std::size_t{1}}) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    EXPECT_EQ(parts[layer + 1].names.size(), 11U);
    for (const std::string& name : parts[layer + 1].names) EXPECT_TRUE(name.starts_with(prefix));
  }
  EXPECT_EQ(parts[3].names, (std::vector<std::string>{"lm_head.weight", "model.norm.weight"}));
  EXPECT_EQ(parts[3].size_bytes, (11U * 8U + 8U) * 2U);
  EXPECT_EQ(parts_of(gpt2_config(), tensor::DType::float32)[0].names,
            (std::vector<std::string>{"transformer.wpe.weight", "transformer.wte.weight"}));
}

TEST(WeightParts, OfTenLayersAndMoreAreInNumericOrder) {
  const auto parts = parts_of(patched(llama_like_config("llama"), R"({"num_hidden_layers": 12})"),
                              tensor::DType::float32);
  ASSERT_EQ(parts.size(), 14U);
  EXPECT_TRUE(parts[3].names.front().starts_with("model.layers.2."));
  EXPECT_TRUE(parts[12].names.front().starts_with("model.layers.11."));
}

TEST(SpreadOver, GivesEachDeviceNeighboursOfAboutTheSameSize) {
  struct Row {
    std::size_t devices;
    std::vector<std::uint64_t> sizes;
    std::vector<std::size_t> places;
  };
  for (const Row& row :
       {Row{1, {5, 1, 1, 1}, {0, 0, 0, 0}}, Row{2, {1, 4, 4, 4, 4, 1}, {0, 0, 0, 1, 1, 1}},
        Row{3, {0, 4, 4, 4, 0}, {0, 0, 1, 2, 2}}, Row{2, {8, 4, 4, 0}, {0, 1, 1, 1}},
        Row{2, {0, 4, 4, 8}, {0, 0, 0, 1}}}) {
    EXPECT_EQ(spread_over(row.devices, sized(row.sizes)), row.places);
  }
}

TEST(SpreadOver, RefusesMoreDevicesThanLayers) {
  try {
    (void)spread_over(3, sized({1, 4, 4, 1}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    EXPECT_NE(std::string(error.what()).find("3 devices for a model of 2 layers"),
              std::string::npos)
        << error.what();
  }
}

TEST(StaysOf, KeepsTheFirstPartsThatLeaveRoomForTwoOthers) {
  const std::vector<std::uint64_t> sizes = {2, 4, 4, 4, 3};
  const auto stays = [&](std::uint64_t budget, std::vector<std::size_t> places) {
    return stays_of(sized(sizes), places, {budget});
  };
  const std::vector<std::size_t> one(5, 0);
  EXPECT_EQ(stays(0, one), std::vector<Stay>(5, streamed));
  EXPECT_EQ(stays(8, one), std::vector<Stay>(5, streamed));
  EXPECT_EQ(stays(10, one), (std::vector<Stay>{resident, streamed, streamed, streamed, streamed}));
  EXPECT_EQ(stays(14, one), (std::vector<Stay>{resident, resident, streamed, streamed, streamed}));
  EXPECT_EQ(stays(17, one), std::vector<Stay>(5, resident));
  EXPECT_EQ(stays(10, {0, 0, 0, 1, 1}), (std::vector<Stay>(5, resident)));
  EXPECT_EQ(stays(8, {0, 0, 0, 1, 1}),
            (std::vector<Stay>{streamed, streamed, streamed, resident, resident}));
}

TEST(StaysOf, NeverTakesMoreThanTheBudget) {
  std::vector<std::uint64_t> sizes = {7, 3, 9, 2, 2, 8, 5, 1};
  for (int turn = 0; turn < 8; ++turn, std::rotate(sizes.begin(), sizes.begin() + 1, sizes.end())) {
    for (std::uint64_t budget = 17; budget < 45; ++budget) {
      const std::vector<Stay> stays =
          stays_of(sized(sizes), std::vector<std::size_t>(sizes.size(), 0), {budget});
      std::uint64_t kept = 0;
      std::vector<std::uint64_t> others;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (stays[i] == resident) {
          kept += sizes[i];
        } else {
          others.push_back(sizes[i]);
        }
      }
      for (std::size_t i = 0; i < others.size() && others.size() > 1; ++i)
        EXPECT_LE(kept + others[i] + others[(i + 1) % others.size()], budget) << turn;
      EXPECT_LE(kept, budget);
    }
  }
}

TEST(StaysOf, RefusesABudgetForLessThanTwoPartsAndSaysWhatIsNeeded) {
  try {
    (void)stays_of(sized({2, 4, 5, 3}), {0, 0, 0, 0}, {8});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    EXPECT_NE(std::string(error.what()).find("take 9B"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parity::model
