// Which inputs the decoder takes, what it says about the others, and which keys each query may see.
#include "model/decoder/token_inputs.h"

#include <cstring>

#include "sample_configs.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::model {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::Value;
using tensor::ValueDict;

template <typename T>
Value numbers(DType dtype, const tensor::Shape& shape, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {HostTensor(dtype, shape, std::move(bytes))};
}

Value ids(const tensor::Shape& shape, const std::vector<std::int64_t>& values) {
  return numbers(DType::int64, shape, values);
}

DecoderConfig llama() {
  return parse_decoder_config(llama_like_config("llama").dump(), "config.json");
}
DecoderConfig gpt2() { return parse_decoder_config(gpt2_config().dump(), "config.json"); }

std::string refusal(const Value& inputs, const DecoderConfig& config) {
  try {
    (void)read_token_inputs(inputs, config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "accepted";
}

/// One line per batch row and query: "1 11 111".
std::string drawn(const std::optional<AttentionMask>& mask) {
  if (!mask) {
    return "causal";
  }
  std::string text;
  const auto tokens = static_cast<std::size_t>(mask->keys);
  for (std::size_t i = 0; i < mask->allowed.size(); ++i) {
    text += (i > 0 && i % tokens == 0) ? " " : "";
    text += mask->allowed[i] == 1 ? '1' : '0';
  }
  return text;
}

TEST(TokenInputs, TakesABareTensorATupleAListOrADict) {
  const Value bare = ids({1, 3}, {1, 2, 3});
  const std::vector<Value> forms = {
      bare,
      {tensor::ValueTuple{{bare}}},
      {tensor::ValueList{{bare}}},
      {ValueDict{{{"input_ids", bare}}}},
      {ValueDict{{{"input_ids", bare}, {"attention_mask", Value{}}, {"position_ids", Value{}}}}},
      numbers<std::int32_t>(DType::int32, {1, 3}, {1, 2, 3}),
  };
  for (const Value& form : forms) {
    const TokenInputs inputs = read_token_inputs(form, llama());
    EXPECT_EQ(inputs.batch, 1);
    EXPECT_EQ(inputs.tokens, 3);
    EXPECT_EQ(inputs.ids, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(inputs.positions, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_TRUE(inputs.padding.empty());
  }
}

TEST(TokenInputs, RefusesEveryOtherFormInOneSentence) {
  const Value good = ids({2, 2}, {1, 2, 3, 4});
  struct Row {
    Value inputs;
    const char* part;
  };
  const Row rows[] = {
      {ids({3}, {1, 2, 3}), "input_ids is 3"},
      {ids({1, 1, 1}, {1}), "input_ids is 1x1x1"},
      {ids({1, 0}, {}), "at least one token"},
      {ids({1, 2}, {1, 11}), "token id 11 at [0, 1] of input_ids is outside the vocabulary of 11"},
      {ids({2, 1}, {1, -1}), "token id -1 at [1, 0]"},
      {numbers<float>(DType::float32, {1, 1}, {1.0F}), "float32"},
      {Value{std::int64_t{3}}, "int"},
      {Value{}, "none"},
      {{tensor::ValueTuple{{good, good}}}, "not 2"},
      {{ValueDict{}}, "lack input_ids"},
      {{ValueDict{{{"input_ids", good}, {"labels", good}}}}, "'labels'"},
      {{ValueDict{{{"input_ids", good}, {"attention_mask", ids({1, 2}, {1, 1})}}}},
       "attention_mask is 1x2"},
      {{ValueDict{{{"input_ids", good}, {"attention_mask", ids({2, 2}, {1, 1, 1, 2})}}}},
       "0 and 1 alone, not 2"},
      {{ValueDict{
           {{"input_ids", good},
            {"attention_mask", numbers<float>(DType::float32, {2, 2}, {0.F, 0.F, 0.F, 0.F})}}}},
       "float32"},
      {{ValueDict{{{"input_ids", good}, {"attention_mask", Value{std::string("all")}}}}},
       "attention_mask must be"},
      {{ValueDict{{{"input_ids", good}, {"position_ids", ids({2, 1}, {0, 0})}}}},
       "position_ids is 2x1"},
      {{ValueDict{{{"input_ids", good}, {"decode_tokens", ids({1, 3}, {1, 2, 3})}}}},
       "decode_tokens is 1x3, but must be [batch, steps] with 2 rows"},
      {{ValueDict{{{"input_ids", good}, {"decode_tokens", ids({2, 0}, {})}}}}, "at least one step"},
      {{ValueDict{{{"input_ids", good}, {"decode_tokens", ids({2, 1}, {1, 11})}}}},
       "token id 11 at [1, 0] of decode_tokens is outside the vocabulary of 11"},
      {{ValueDict{{{"input_ids", good}, {"position_ids", ids({1, 2}, {-1, 0})}}}}, "-1"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(row.inputs, llama());
    EXPECT_NE(message.find(row.part), std::string::npos) << row.part << " in: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(TokenInputs, RefusesPositionsOutsideTheTableOfGpt2Alone) {
  const Value fits = ids({1, 16}, std::vector<std::int64_t>(16, 1));
  const Value overflows = ids({1, 17}, std::vector<std::int64_t>(17, 1));
  EXPECT_EQ(refusal(fits, gpt2()), "accepted");
  EXPECT_NE(refusal(overflows, gpt2()).find("position 16 is outside the model's table of 16"),
            std::string::npos)
      << refusal(overflows, gpt2());
  EXPECT_EQ(refusal(ids({1, 65}, std::vector<std::int64_t>(65, 1)), llama()), "accepted");
}

TEST(TokenInputs, RemarkOnPositionsPastTheLengthThatTheConfigStates) {
  DecoderConfig config = llama();
  config.max_positions = 4;
  const auto remark = [&](const Value& inputs) {
    return position_remark(read_token_inputs(inputs, config), config);
  };
  EXPECT_EQ(remark(ids({1, 4}, {1, 2, 3, 1})), "");
  EXPECT_NE(remark(ids({1, 5}, {1, 2, 3, 1, 2}))
                .find("position 4 is past the 4 positions that the config states"),
            std::string::npos);
  ValueDict shifted;
  shifted.items.emplace_back("input_ids", ids({1, 2}, {1, 2}));
  shifted.items.emplace_back("position_ids", ids({1, 2}, {8, 9}));
  EXPECT_NE(remark({shifted}).find("position 9 is past"), std::string::npos);
}

TEST(TokenInputs, ReadsPaddingOfEveryWholeNumberType) {
  const Value good = ids({1, 3}, {1, 2, 3});
  const std::vector<Value> masks = {
      ids({1, 3}, {0, 1, 1}),
      numbers<std::int32_t>(DType::int32, {1, 3}, {0, 1, 1}),
      numbers<std::uint8_t>(DType::boolean, {1, 3}, {0, 1, 1}),
      numbers<std::uint8_t>(DType::uint8, {1, 3}, {0, 1, 1}),
  };
  for (const Value& mask : masks) {
    const auto inputs =
        read_token_inputs({ValueDict{{{"input_ids", good}, {"attention_mask", mask}}}}, llama());
    EXPECT_EQ(inputs.padding, (std::vector<std::uint8_t>{0, 1, 1}));
    EXPECT_EQ(inputs.positions, (std::vector<std::int64_t>{0, 1, 2}))
        << "padding shifts no position, as in the library";
  }
}

TEST(AttentionMask, IsLeftToTheCausalFlagWhenItSaysNothingMore) {
  const TokenInputs plain =
      read_token_inputs(ids({2, 4}, std::vector<std::int64_t>(8, 1)), llama());
  EXPECT_EQ(drawn(attention_mask(plain, std::nullopt)), "causal");
  EXPECT_EQ(drawn(attention_mask(plain, 5)), "causal") << "a window wider than the sequence";
  const auto unpadded = read_token_inputs(
      {ValueDict{{{"input_ids", ids({1, 2}, {1, 2})}, {"attention_mask", ids({1, 2}, {1, 1})}}}},
      llama());
  EXPECT_EQ(drawn(attention_mask(unpadded, std::nullopt)), "causal");
}

TEST(AttentionMask, LetsAQuerySeeTheWindowAndItself) {
  const TokenInputs plain =
      read_token_inputs(ids({2, 4}, std::vector<std::int64_t>(8, 1)), llama());
  EXPECT_EQ(drawn(attention_mask(plain, 2)), "1000 1100 0110 0011");
  EXPECT_EQ(drawn(attention_mask(plain, 1)), "1000 0100 0010 0001");
  EXPECT_EQ(drawn(attention_mask(plain, 4)), "1000 1100 1110 1111")
      << "the library masks from equal lengths on";
}

TEST(AttentionMask, HidesPaddingRowByRow) {
  const auto inputs =
      read_token_inputs({ValueDict{{{"input_ids", ids({2, 3}, {1, 1, 1, 1, 1, 1})},
                                    {"attention_mask", ids({2, 3}, {1, 1, 1, 0, 1, 1})}}}},
                        llama());
  EXPECT_EQ(drawn(attention_mask(inputs, std::nullopt)), "100 110 111 000 010 011");
  EXPECT_EQ(drawn(attention_mask(inputs, 2)), "100 110 011 000 010 011");
}

TEST(AttentionMask, PartsPackedSequencesWherePositionsJump) {
  const auto packed = [](const char* key, const Value& positions) {
    return read_token_inputs(
        {ValueDict{
            {{"input_ids", ids({2, 4}, std::vector<std::int64_t>(8, 1))}, {key, positions}}}},
        llama());
  };
  EXPECT_EQ(drawn(attention_mask(packed("position_ids", ids({1, 4}, {0, 1, 0, 1})), std::nullopt)),
            "1000 1100 0010 0011");
  EXPECT_EQ(drawn(attention_mask(packed("position_ids", ids({2, 4}, {0, 1, 2, 3, 0, 1, 2, 0})),
                                 std::nullopt)),
            "1000 1100 1110 1111 1000 1100 1110 0001");
  EXPECT_EQ(drawn(attention_mask(packed("position_ids", ids({1, 4}, {7, 8, 9, 10})), std::nullopt)),
            "causal");
}

TEST(AttentionMask, DoesNotPartSequencesWhenAPaddingMaskIsGiven) {
  const auto inputs = read_token_inputs({ValueDict{{{"input_ids", ids({1, 3}, {1, 1, 1})},
                                                    {"attention_mask", ids({1, 3}, {0, 1, 1})},
                                                    {"position_ids", ids({1, 3}, {1, 0, 1})}}}},
                                        llama());
  EXPECT_EQ(drawn(attention_mask(inputs, std::nullopt)), "000 010 011");
}

}  // namespace
}  // namespace parity::model
