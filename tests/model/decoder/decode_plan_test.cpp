// What may follow a prompt, at which positions, and which keys of the cache it sees.
#include "model/decoder/decode_plan.h"

#include "sample_configs.h"
#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::model {
namespace {

using Numbers = std::vector<std::int64_t>;

DecoderConfig llama() {
  return parse_decoder_config(llama_like_config("llama").dump(), "config.json");
}
DecoderConfig gpt2() { return parse_decoder_config(gpt2_config().dump(), "config.json"); }

/// Two rows of three tokens and two to decode behind them.
TokenInputs prompt() {
  TokenInputs inputs;
  inputs.batch = 2;
  inputs.tokens = 3;
  inputs.ids = {1, 2, 3, 4, 5, 6};
  inputs.positions = {0, 1, 2};
  inputs.steps = 2;
  inputs.decode_tokens = {7, 8, 9, 10};
  return inputs;
}

std::string refusal(const TokenInputs& inputs, const DecoderConfig& config, std::int64_t steps) {
  try {
    check_continuable(inputs, config, steps);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "continuable";
}

/// One line per batch row.
std::string drawn(const std::optional<AttentionMask>& mask) {
  if (!mask) return "all";
  EXPECT_EQ(mask->queries, 1);
  std::string text;
  for (std::size_t i = 0; i < mask->allowed.size(); ++i) {
    text += i > 0 && i % static_cast<std::size_t>(mask->keys) == 0 ? " " : "";
    text += mask->allowed[i] == 1 ? '1' : '0';
  }
  return text;
}

TEST(DecodePlan, RefusesARowThatEndsInPadding) {
  TokenInputs inputs = prompt();
  inputs.padding = {0, 1, 1, 0, 0, 1};
  EXPECT_EQ(refusal(inputs, llama(), 2), "continuable");
  inputs.padding = {1, 1, 1, 1, 1, 0};
  EXPECT_NE(refusal(inputs, llama(), 2).find("row 1 of attention_mask ends in padding"),
            std::string::npos)
      << refusal(inputs, llama(), 2);
}

TEST(DecodePlan, RefusesSeveralSequencesInOneRow) {
  TokenInputs inputs = prompt();
  inputs.positions = {0, 1, 0};
  inputs.sequences = {0, 0, 1};
  EXPECT_NE(refusal(inputs, llama(), 1).find("several sequences"), std::string::npos)
      << refusal(inputs, llama(), 1);
}

TEST(DecodePlan, RefusesPositionsOutsideTheTableOfGpt2Alone) {
  EXPECT_EQ(refusal(prompt(), gpt2(), 13), "continuable");
  const std::string message = refusal(prompt(), gpt2(), 14);
  EXPECT_NE(
      message.find("step 14 of the decode is at position 16, outside the model's table of 16"),
      std::string::npos)
      << message;
  EXPECT_EQ(refusal(prompt(), llama(), 1000), "continuable");
}

TEST(DecodePlan, RemarksOnStepsPastTheLengthThatTheConfigStates) {
  DecoderConfig config = llama();
  config.max_positions = 5;
  EXPECT_EQ(position_remark(prompt(), config), "");
  config.max_positions = 4;
  EXPECT_NE(position_remark(prompt(), config).find("position 4 is past the 4"), std::string::npos);
}

TEST(DecodePlan, FeedsOneTokenOfEveryRowAStep) {
  EXPECT_EQ(step_ids(prompt(), 1), (Numbers{7, 9}));
  EXPECT_EQ(step_ids(prompt(), 2), (Numbers{8, 10}));
}

TEST(DecodePlan, GoesOnByOneFromTheLastPositionOfEachRow) {
  EXPECT_EQ(step_positions(prompt(), 1), (Numbers{3}));
  TokenInputs inputs = prompt();
  inputs.position_rows = 2;
  inputs.positions = {9, 10, 11, 0, 0, 1};
  EXPECT_EQ(step_positions(inputs, 1), (Numbers{12, 2}));
  EXPECT_EQ(step_positions(inputs, 2), (Numbers{13, 3}));
  EXPECT_EQ(last_position(inputs, 2), 13);
}

TEST(DecodePlan, MasksNothingWhereAQuerySeesAllThatIsKept) {
  EXPECT_EQ(drawn(step_mask(prompt(), 1, std::nullopt)), "all");
  EXPECT_EQ(drawn(step_mask(prompt(), 1, 5)), "all");
  TokenInputs inputs = prompt();
  inputs.padding = {1, 1, 1, 1, 1, 1};
  EXPECT_EQ(drawn(step_mask(inputs, 1, std::nullopt)), "all");
}

TEST(DecodePlan, MasksFromTheStepOnThatFillsTheWindowAsTheLibraryDoes) {
  EXPECT_EQ(drawn(step_mask(prompt(), 1, 4)), "1111");
  EXPECT_EQ(drawn(step_mask(prompt(), 2, 4)), "1111");
  EXPECT_EQ(drawn(step_mask(prompt(), 2, 1)), "1");
}

TEST(DecodePlan, HidesPaddingUntilTheWindowHasPassedIt) {
  TokenInputs inputs = prompt();
  inputs.padding = {1, 1, 1, 0, 0, 1};
  EXPECT_EQ(drawn(step_mask(inputs, 1, std::nullopt)), "1111 0011");
  EXPECT_EQ(drawn(step_mask(inputs, 2, std::nullopt)), "11111 00111");
  EXPECT_EQ(drawn(step_mask(inputs, 1, 3)), "111 011");
  EXPECT_EQ(drawn(step_mask(inputs, 2, 3)), "111 111");
}

TEST(DecodePlan, NamesTheInputsOfEveryFormAndAddsTheTokens) {
  const auto tokens = [](Numbers values, tensor::Shape shape) {
    const auto bytes = std::as_bytes(std::span(values));
    return tensor::Value{
        tensor::HostTensor(tensor::DType::int64, std::move(shape), {bytes.begin(), bytes.end()})};
  };
  const tensor::Value bare = tokens({1, 2, 3, 4, 5, 6}, {2, 3});
  const std::vector<tensor::Value> forms = {
      bare,
      {tensor::ValueTuple{{bare}}},
      {tensor::ValueList{{bare}}},
      {tensor::ValueDict{{{"input_ids", bare}, {"decode_tokens", {}}}}},
  };
  for (const tensor::Value& form : forms) {
    const tensor::Value named = with_decode_tokens(form, 2, {7, 8, 9, 10});
    const auto& items = std::get<tensor::ValueDict>(named.data).items;
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items.back().first, "decode_tokens");
    const TokenInputs read = read_token_inputs(named, llama());
    EXPECT_EQ(read.ids, prompt().ids);
    EXPECT_EQ(read.steps, 2);
    EXPECT_EQ(read.decode_tokens, (Numbers{7, 8, 9, 10}));
  }
}

}  // namespace
}  // namespace parity::model
