// Decoding behind the Model interface: which taps fire at a step, which tokens the model chooses,
// and that the cache is the very memory that its taps hand out.
#include <algorithm>
#include <limits>
#include <map>

#include "decoder_fixture.h"

#include "model/collecting_sink.h"

namespace parity::model {
namespace {

using tensor::Value;
using tensor::ValueDict;
using DecodingTest = DecoderFixture;

constexpr const char* kKeys = "model.layers.0.self_attn/kv_cache.keys";

Value prompt() { return ids({2, 3}, {1, 2, 3, 10, 0, 4}); }

Value prompt_with(const std::vector<std::int64_t>& tokens) {
  const auto steps = static_cast<std::int64_t>(tokens.size()) / 2;
  return {ValueDict{{{"input_ids", prompt()}, {"decode_tokens", ids({2, steps}, tokens)}}}};
}

std::vector<float> floats(const tensor::HostTensor& tensor) {
  std::vector<float> values(tensor.bytes().size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

std::vector<std::int64_t> chosen(const Value& inputs) {
  const auto& items = std::get<ValueDict>(inputs.data).items;
  const auto& tensor = std::get<tensor::HostTensor>(items.back().second.data);
  std::vector<std::int64_t> tokens(tensor.bytes().size() / sizeof(std::int64_t));
  std::memcpy(tokens.data(), tensor.bytes().data(), tensor.bytes().size());
  return tokens;
}

CollectingSink taps_of(Model& model, const Value& inputs) {
  CollectingSink sink;
  model.run(inputs, Instrumentation::taps, sink);
  return sink;
}

TEST_F(DecodingTest, FiresTheModulesOfEveryStepAgainWithTheStepAsCall) {
  write(llama_like_config("llama"));
  const auto model = open_decoder(source, settings);
  const CollectingSink plain = taps_of(*model, prompt());
  const CollectingSink sink = taps_of(*model, prompt_with({5, 6, 7, 8}));
  const std::size_t per_pass = plain.names.size() + 4;  // keys and values of two layers
  ASSERT_EQ(sink.names.size(), 3 * per_pass);
  for (std::size_t i = 0; i < sink.ids.size(); ++i)
    EXPECT_EQ(sink.ids[i].call, static_cast<std::int64_t>(i / per_pass)) << sink.names[i];
  EXPECT_EQ(sink.tensors.at("<output>").shape(), (tensor::Shape{2, 3, 11}));
  EXPECT_EQ(sink.tensors.at("<output>#2").shape(), (tensor::Shape{2, 1, 11}));
  EXPECT_EQ(sink.tensors.at(kKeys).shape(), (tensor::Shape{2, 2, 3, 6}));
  EXPECT_EQ(sink.tensors.at(std::string(kKeys) + "#2").shape(), (tensor::Shape{2, 2, 5, 6}));
  EXPECT_TRUE(model->is_logits(sink.ids.back(), {2, 1, 11}, prompt()));
}

TEST_F(DecodingTest, HasNoTapOfACacheWithoutADecode) {
  write(llama_like_config("llama"));
  for (const std::string& name : taps_of(*open_decoder(source, settings), prompt()).names)
    EXPECT_EQ(name.find("kv_cache"), std::string::npos) << name;
}

TEST_F(DecodingTest, KeepsWhatAWindowSeesAndNoMore) {
  write(patched(llama_like_config("mistral"), R"({"sliding_window": 2})"));
  const CollectingSink sink = taps_of(*open_decoder(source, settings), prompt_with({5, 6, 7, 8}));
  EXPECT_EQ(sink.tensors.at(kKeys).shape()[2], 3) << "the prompt is read whole";
  EXPECT_EQ(sink.tensors.at(std::string(kKeys) + "#1").shape()[2], 2);
  EXPECT_EQ(sink.tensors.at(std::string(kKeys) + "#2").shape()[2], 2);
}

TEST_F(DecodingTest, GivesAWindowOfOneTheTokenAlone) {
  write(patched(llama_like_config("mistral"), R"({"sliding_window": 1})"));
  const CollectingSink sink = taps_of(*open_decoder(source, settings), prompt_with({5, 6}));
  EXPECT_EQ(sink.tensors.at(std::string(kKeys) + "#1").shape()[2], 1);
}

TEST_F(DecodingTest, ChoosesTheBestTokenOfEveryStep) {
  write(llama_like_config("qwen3"));
  const auto model = open_decoder(source, settings);
  const Value inputs = model->with_greedy_tokens(prompt(), 4);
  const std::vector<std::int64_t> tokens = chosen(inputs);
  ASSERT_EQ(tokens.size(), 8U);
  const CollectingSink sink = taps_of(*model, inputs);
  for (std::size_t step = 0; step < 4; ++step) {
    const auto& logits =
        sink.tensors.at(step == 0 ? "<output>" : "<output>#" + std::to_string(step));
    const std::vector<float> values = floats(logits);
    for (std::size_t row = 0; row < 2; ++row) {
      const auto positions = static_cast<std::size_t>(logits.shape()[1]);
      const auto first =
          values.begin() + static_cast<std::ptrdiff_t>(((row + 1) * positions - 1) * 11);
      EXPECT_EQ(tokens[row * 4 + step], std::max_element(first, first + 11) - first)
          << "row " << row << " step " << step;
    }
  }
}

TEST_F(DecodingTest, ChoosesTheFirstOfEqualLogits) {
  write(llama_like_config("llama"));
  fill("lm_head.weight", 0.25F);
  const Value inputs = open_decoder(source, settings)->with_greedy_tokens(prompt(), 2);
  EXPECT_EQ(chosen(inputs), (std::vector<std::int64_t>{0, 0, 0, 0}));
}

TEST_F(DecodingTest, RefusesToChooseAmongNaN) {
  write(llama_like_config("llama"));
  fill("lm_head.weight", std::numeric_limits<float>::quiet_NaN());
  const auto model = open_decoder(source, settings);
  try {
    (void)model->with_greedy_tokens(prompt(), 2);
    FAIL() << "chose a token";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string(error.what()).find("the logits that choose token 1 of row 0 hold NaN"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(DecodingTest, RefusesToChooseWhereTokensAreGiven) {
  write(llama_like_config("llama"));
  const auto model = open_decoder(source, settings);
  try {
    (void)model->with_greedy_tokens(prompt_with({5, 6}), 2);
    FAIL() << "chose tokens";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("hold decode_tokens already"), std::string::npos)
        << error.what();
  }
}

TEST_F(DecodingTest, StartsEveryRunWithAnEmptyCache) {
  write(llama_like_config("mistral"));
  const auto model = open_decoder(source, settings);
  const Value inputs = model->with_greedy_tokens(prompt(), 3);
  const CollectingSink first = taps_of(*model, inputs);
  const CollectingSink second = taps_of(*model, inputs);
  ASSERT_EQ(first.names, second.names);
  for (const std::string& name : first.names) {
    const auto one = first.tensors.at(name).bytes();
    const auto other = second.tensors.at(name).bytes();
    EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end())) << name;
  }
}

/// Puts ones in the place of one tap.
class OnesSink final : public run::TapSink {
 public:
  explicit OnesSink(std::string name) : name_(std::move(name)) {}

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    seen.on_tap(id, value);
    if (run::to_string(id) == name_) ones_.assign(value.size_bytes() / sizeof(float), 1.0F);
  }
  void on_skipped(const run::TapId&, const std::string&) override {}
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    if (run::to_string(id) != name_) return std::nullopt;
    return tensor::TensorView{tensor::DType::float32, seen.tensors.at(name_).shape(),
                              std::as_bytes(std::span(ones_))};
  }

  CollectingSink seen;

 private:
  std::string name_;
  std::vector<float> ones_;
};

TEST_F(DecodingTest, GoesOnWithAForcedCacheInEveryLaterStep) {
  for (const char* window : {"null", "3"}) {
    write(patched(llama_like_config("mistral"),
                  std::string(R"({"sliding_window": )") + window + "}"));
    const auto model = open_decoder(source, settings);
    OnesSink sink(std::string(kKeys) + "#1");
    model->run(prompt_with({5, 6, 7, 8}), Instrumentation::taps, sink);
    const tensor::HostTensor& after = sink.seen.tensors.at(std::string(kKeys) + "#2");
    const std::vector<float> values = floats(after);
    const auto tokens = static_cast<std::size_t>(after.shape()[2]);
    const std::size_t head_dim = 6;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_new = i / head_dim % tokens == tokens - 1;
      EXPECT_EQ(values[i] == 1.0F, !is_new) << "window " << window << " element " << i;
    }
  }
}

}  // namespace
}  // namespace parity::model
