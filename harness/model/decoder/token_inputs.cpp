// Checks of token ids, padding and positions, and the boolean masks for attention.
#include "model/decoder/token_inputs.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "error/error.h"
#include "model/decoder/decode_plan.h"
#include "model/model.h"
#include "tensor/whole_numbers.h"

namespace parity::model {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::Value;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::model, message); }

/// int64 or int32.
std::vector<std::int64_t> ids_of(const HostTensor& tensor, std::string_view key) {
  if (tensor.dtype() != DType::int64 && tensor.dtype() != DType::int32) {
    refuse(fmt::format("{} must be int64 or int32, not {}", key, tensor::name(tensor.dtype())));
  }
  return tensor::whole_numbers(tensor).value();
}

std::vector<std::uint8_t> padding_of(const HostTensor& tensor) {
  const std::optional<std::vector<std::int64_t>> numbers = tensor::whole_numbers(tensor);
  if (!numbers) {
    refuse(fmt::format("attention_mask must be int64, int32, uint8 or bool, not {}",
                       tensor::name(tensor.dtype())));
  }
  std::vector<std::uint8_t> padding;
  for (const std::int64_t number : *numbers) {
    if (number != 0 && number != 1) {
      refuse(fmt::format("attention_mask must hold 0 and 1 alone, not {}", number));
    }
    padding.push_back(static_cast<std::uint8_t>(number));
  }
  return padding;
}

const HostTensor& tensor_of(const Value& value, std::string_view key) {
  const auto* tensor = std::get_if<HostTensor>(&value.data);
  if (tensor == nullptr) {
    refuse(fmt::format("{} must be a tensor [batch, tokens], not a {}", key, kind_name(value)));
  }
  return *tensor;
}

struct NamedInputs {
  const HostTensor* ids = nullptr;
  const HostTensor* padding = nullptr;
  const HostTensor* positions = nullptr;
  const HostTensor* decode_tokens = nullptr;
};

NamedInputs from_dict(const tensor::ValueDict& dict) {
  NamedInputs named;
  for (const auto& [key, value] : dict.items) {
    if (std::holds_alternative<std::monostate>(value.data)) {
      continue;
    }
    if (key == "input_ids") {
      named.ids = &tensor_of(value, key);
    } else if (key == "attention_mask") {
      named.padding = &tensor_of(value, key);
    } else if (key == "position_ids") {
      named.positions = &tensor_of(value, key);
    } else if (key == kDecodeTokens) {
      named.decode_tokens = &tensor_of(value, key);
    } else {
      refuse(
          fmt::format("the built-in decoder has no input '{}'; it takes input_ids, attention_mask, "
                      "position_ids and decode_tokens",
                      key));
    }
  }
  if (named.ids == nullptr) {
    refuse("the inputs lack input_ids, the tensor [batch, tokens] of token ids");
  }
  return named;
}

NamedInputs from_single(const std::vector<Value>& items) {
  if (items.size() != 1) {
    refuse(
        fmt::format("the built-in decoder takes one positional input, the token ids, not {}; name "
                    "the others in a "
                    "dict: input_ids, attention_mask, position_ids",
                    items.size()));
  }
  NamedInputs named;
  named.ids = &tensor_of(items.front(), "input_ids");
  return named;
}

NamedInputs named_inputs(const Value& inputs) {
  if (const auto* dict = std::get_if<tensor::ValueDict>(&inputs.data)) {
    return from_dict(*dict);
  }
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&inputs.data)) {
    return from_single(tuple->items);
  }
  if (const auto* list = std::get_if<tensor::ValueList>(&inputs.data)) {
    return from_single(list->items);
  }
  NamedInputs named;
  named.ids = &tensor_of(inputs, "input_ids");
  return named;
}

/// `ids`: rows of `columns` tokens.
void check_ids(const std::vector<std::int64_t>& ids, std::int64_t columns, std::string_view key,
               const DecoderConfig& config) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= config.vocabulary) {
      const auto tokens = static_cast<std::size_t>(columns);
      refuse(fmt::format("token id {} at [{}, {}] of {} is outside the vocabulary of {}", ids[i],
                         i / tokens, i % tokens, key, config.vocabulary));
    }
  }
}

void check_positions(const TokenInputs& inputs, const DecoderConfig& config) {
  const auto [least, most] = std::minmax_element(inputs.positions.begin(), inputs.positions.end());
  if (*least < 0) {
    refuse(fmt::format("position_ids must not be negative, as {} is", *least));
  }
  if (config.architecture == Architecture::gpt2 && *most >= config.max_positions) {
    refuse(fmt::format(
        "position {} is outside the model's table of {} positions (n_positions); pass fewer tokens",
        *most, config.max_positions));
  }
}

/// A sequence ends where the next position is not the next number.
std::vector<std::int64_t> packed_sequences(const TokenInputs& inputs) {
  std::vector<std::int64_t> sequences(inputs.positions.size(), 0);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (i % static_cast<std::size_t>(inputs.tokens) != 0) {
      sequences[i] =
          sequences[i - 1] + (inputs.positions[i] != inputs.positions[i - 1] + 1 ? 1 : 0);
    }
  }
  const bool packed = std::any_of(sequences.begin(), sequences.end(),
                                  [](std::int64_t number) { return number != 0; });
  return packed ? sequences : std::vector<std::int64_t>();
}

void read_positions(const HostTensor* given, TokenInputs& inputs) {
  if (given == nullptr) {
    inputs.positions.resize(static_cast<std::size_t>(inputs.tokens));
    std::iota(inputs.positions.begin(), inputs.positions.end(), std::int64_t{0});
    return;
  }
  const tensor::Shape& shape = given->shape();
  if (shape.size() != 2 || (shape[0] != 1 && shape[0] != inputs.batch) ||
      shape[1] != inputs.tokens) {
    refuse(fmt::format("position_ids is {}, but input_ids of {}x{} need {}x{} or 1x{}",
                       tensor::to_string(shape), inputs.batch, inputs.tokens, inputs.batch,
                       inputs.tokens, inputs.tokens));
  }
  inputs.position_rows = shape[0];
  inputs.positions = ids_of(*given, "position_ids");
}

void read_decode_tokens(const HostTensor& given, const DecoderConfig& config, TokenInputs& inputs) {
  const tensor::Shape& shape = given.shape();
  if (shape.size() != 2 || shape[0] != inputs.batch || shape[1] < 1) {
    refuse(fmt::format(
        "decode_tokens is {}, but must be [batch, steps] with {} rows, those of input_ids, and at "
        "least one step",
        tensor::to_string(shape), inputs.batch));
  }
  inputs.steps = shape[1];
  inputs.decode_tokens = ids_of(given, kDecodeTokens);
  check_ids(inputs.decode_tokens, inputs.steps, kDecodeTokens, config);
  check_continuable(inputs, config, inputs.steps);
}

}  // namespace

TokenInputs read_token_inputs(const Value& value, const DecoderConfig& config) {
  const NamedInputs named = named_inputs(value);
  const tensor::Shape& shape = named.ids->shape();
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    refuse(fmt::format("input_ids is {}, but must be [batch, tokens] with at least one token",
                       tensor::to_string(shape)));
  }
  TokenInputs inputs;
  inputs.batch = shape[0];
  inputs.tokens = shape[1];
  inputs.ids = ids_of(*named.ids, "input_ids");
  check_ids(inputs.ids, inputs.tokens, "input_ids", config);
  read_positions(named.positions, inputs);
  check_positions(inputs, config);
  if (named.padding != nullptr) {
    if (named.padding->shape() != shape) {
      refuse(fmt::format("attention_mask is {}, but must have the shape of input_ids, {}",
                         tensor::to_string(named.padding->shape()), tensor::to_string(shape)));
    }
    inputs.padding = padding_of(*named.padding);
  } else {
    inputs.sequences = packed_sequences(inputs);
  }
  if (named.decode_tokens != nullptr) read_decode_tokens(*named.decode_tokens, config, inputs);
  return inputs;
}

std::string position_remark(const TokenInputs& inputs, const DecoderConfig& config) {
  const std::int64_t last = last_position(inputs, inputs.steps);
  if (last < config.max_positions) return {};
  return fmt::format(
      "position {} is past the {} positions that the config states (max_position_embeddings); the "
      "model was not made for such lengths",
      last, config.max_positions);
}

std::optional<AttentionMask> attention_mask(const TokenInputs& inputs,
                                            std::optional<std::int64_t> window) {
  const bool windowed = window && inputs.tokens >= *window;
  const bool padded =
      std::find(inputs.padding.begin(), inputs.padding.end(), 0) != inputs.padding.end();
  const bool packed = !inputs.sequences.empty();
  if (!windowed && !padded && !packed) {
    return std::nullopt;
  }
  const auto tokens = static_cast<std::size_t>(inputs.tokens);
  const std::int64_t rows = padded ? inputs.batch : (packed ? inputs.position_rows : 1);
  AttentionMask mask{.batch = rows, .queries = inputs.tokens, .keys = inputs.tokens, .allowed = {}};
  mask.allowed.resize(static_cast<std::size_t>(rows) * tokens * tokens);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (std::size_t query = 0; query < tokens; ++query) {
      // Inside a packed sequence positions count up by one, so distances are the same as between
      // indices.
      const std::size_t first = window && static_cast<std::int64_t>(query) >= *window
                                    ? query + 1 - static_cast<std::size_t>(*window)
                                    : 0;
      for (std::size_t key = first; key <= query; ++key) {
        const bool real = !padded || inputs.padding[row * tokens + key] == 1;
        const bool together = !packed || inputs.sequences[row * tokens + query] ==
                                             inputs.sequences[row * tokens + key];
        mask.allowed[(row * tokens + query) * tokens + key] = real && together ? 1 : 0;
      }
    }
  }
  return mask;
}

}  // namespace parity::model
