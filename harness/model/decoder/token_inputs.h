// A decoder's inputs as plain numbers, checked against the config before any device work, and the
// attention masks that follow from them. Refuses to know torch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/decoder/decoder_config.h"
#include "tensor/value.h"

namespace parity::model {

/// Row-major [batch, tokens] numbers.
struct TokenInputs {
  std::int64_t batch = 0;
  std::int64_t tokens = 0;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> positions;  ///< [position_rows, tokens]
  std::int64_t position_rows = 1;       ///< 1 (shared by the batch) or batch
  std::vector<std::uint8_t>
      padding;  ///< 1 for a token to attend to, 0 for padding; empty when not given
  std::vector<std::int64_t>
      sequences;  ///< [position_rows, tokens]: running number of the packed sequence that each
                  ///< token belongs to; empty when each row is one sequence
  std::int64_t steps = 0;                   ///< of the decode that follows; 0 for none
  std::vector<std::int64_t> decode_tokens;  ///< [batch, steps]: fed one a step
};

/// Takes a tensor of token ids, a tuple or list of just one, or a dict with `input_ids` and perhaps
/// `attention_mask` (0 and 1), `position_ids` and `decode_tokens` ([batch, steps]). Positions that
/// jump, given without a mask, part a row into sequences that do not see each other. Throws
/// Error(model) in one sentence: wrong shape or dtype, an unknown key, an id outside the
/// vocabulary, a position outside gpt2's table, tokens to decode behind rows that no token can
/// follow.
[[nodiscard]] TokenInputs read_token_inputs(const tensor::Value& inputs,
                                            const DecoderConfig& config);

/// What a person should know of positions past the length that the config was made for; empty when
/// there are none. Rotary positions go on without end, and mean less and less.
[[nodiscard]] std::string position_remark(const TokenInputs& inputs, const DecoderConfig& config);

/// Which keys a query may see.
struct AttentionMask {
  std::int64_t batch = 1;  ///< 1 when all rows share it
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::vector<std::uint8_t> allowed;  ///< [batch, queries, keys]
};

/// Of one pass over all tokens that are not decoded. nullopt when plain causal attention says it
/// all, which lets the fastest kernels run.
/// `window`: keys that a query sees, itself included.
[[nodiscard]] std::optional<AttentionMask> attention_mask(const TokenInputs& inputs,
                                                          std::optional<std::int64_t> window);

}  // namespace parity::model
