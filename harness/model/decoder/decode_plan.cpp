// Positions and masks of single tokens, as the library gives them to a model that it feeds by hand
// with a cache.
#include "model/decoder/decode_plan.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "error/error.h"
#include "model/model.h"

namespace parity::model {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::model, message); }

/// Of row `row` of the positions.
std::int64_t position_behind_prompt(const TokenInputs& inputs, std::int64_t row,
                                    std::int64_t step) {
  return inputs.positions[static_cast<std::size_t>((row + 1) * inputs.tokens - 1)] + step;
}

tensor::ValueDict by_name(const tensor::Value& inputs) {
  if (const auto* dict = std::get_if<tensor::ValueDict>(&inputs.data)) return *dict;
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&inputs.data))
    return {{{"input_ids", tuple->items.front()}}};
  if (const auto* list = std::get_if<tensor::ValueList>(&inputs.data))
    return {{{"input_ids", list->items.front()}}};
  return {{{"input_ids", inputs}}};
}

}  // namespace

void check_continuable(const TokenInputs& inputs, const DecoderConfig& config, std::int64_t steps) {
  if (!inputs.sequences.empty()) {
    refuse(
        "position_ids jump inside a row, so it holds several sequences, and a decode goes on with "
        "one sequence a row: give each sequence a row of its own");
  }
  if (!inputs.padding.empty()) {
    for (std::int64_t row = 0; row < inputs.batch; ++row) {
      if (inputs.padding[static_cast<std::size_t>((row + 1) * inputs.tokens - 1)] == 1) continue;
      refuse(
          fmt::format("row {} of attention_mask ends in padding, which no token can follow: pad "
                      "the rows of a decode on the left",
                      row));
    }
  }
  const std::int64_t last = last_position(inputs, steps);
  if (config.architecture == Architecture::gpt2 && last >= config.max_positions) {
    refuse(fmt::format(
        "step {} of the decode is at position {}, outside the model's table of {} positions "
        "(n_positions); decode fewer steps or pass fewer tokens",
        steps, last, config.max_positions));
  }
}

std::int64_t last_position(const TokenInputs& inputs, std::int64_t steps) {
  std::int64_t last = *std::max_element(inputs.positions.begin(), inputs.positions.end());
  for (std::int64_t row = 0; row < inputs.position_rows; ++row)
    last = std::max(last, position_behind_prompt(inputs, row, steps));
  return last;
}

tensor::Value with_decode_tokens(const tensor::Value& inputs, std::int64_t batch,
                                 const std::vector<std::int64_t>& tokens) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(tokens));
  tensor::HostTensor tensor(tensor::DType::int64,
                            {batch, static_cast<std::int64_t>(tokens.size()) / batch},
                            std::vector<std::byte>(bytes.begin(), bytes.end()));
  tensor::ValueDict dict = by_name(inputs);
  const std::string key(kDecodeTokens);
  std::erase_if(dict.items, [&](const auto& item) { return item.first == key; });  // a None
  dict.items.emplace_back(key, tensor::Value{std::move(tensor)});
  return {std::move(dict)};
}

std::vector<std::int64_t> step_ids(const TokenInputs& inputs, std::int64_t step) {
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < inputs.batch; ++row)
    ids.push_back(inputs.decode_tokens[static_cast<std::size_t>(row * inputs.steps + step - 1)]);
  return ids;
}

std::vector<std::int64_t> step_positions(const TokenInputs& inputs, std::int64_t step) {
  std::vector<std::int64_t> positions;
  for (std::int64_t row = 0; row < inputs.position_rows; ++row)
    positions.push_back(position_behind_prompt(inputs, row, step));
  return positions;
}

std::optional<AttentionMask> step_mask(const TokenInputs& inputs, std::int64_t step,
                                       std::optional<std::int64_t> window) {
  const std::int64_t seen = inputs.tokens + step;
  const bool windowed = window && seen >= *window;
  const bool padded =
      std::find(inputs.padding.begin(), inputs.padding.end(), 0) != inputs.padding.end();
  if (!windowed && !padded) return std::nullopt;
  AttentionMask mask{.batch = padded ? inputs.batch : 1,
                     .queries = 1,
                     .keys = windowed ? *window : seen,
                     .allowed = {}};
  // The cache of a window has dropped what the query does not see, so padding alone is hidden.
  for (std::int64_t row = 0; row < mask.batch; ++row) {
    for (std::int64_t key = seen - mask.keys; key < seen; ++key) {
      const bool real = !padded || key >= inputs.tokens ||
                        inputs.padding[static_cast<std::size_t>(row * inputs.tokens + key)] == 1;
      mask.allowed.push_back(real ? 1 : 0);
    }
  }
  return mask;
}

}  // namespace parity::model
