// What follows a prompt, one token at a time: whether it can, at which positions, and which keys of
// the cache the token sees. Refuses to know torch and where the tokens come from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/decoder/token_inputs.h"

namespace parity::model {

/// Throws Error(model) in one sentence when `steps` tokens cannot follow: a row that ends in
/// padding, several sequences in one row, positions outside gpt2's table.
void check_continuable(const TokenInputs& inputs, const DecoderConfig& config, std::int64_t steps);

/// The largest position of the prompt and of `steps` tokens behind it.
[[nodiscard]] std::int64_t last_position(const TokenInputs& inputs, std::int64_t steps);

/// `inputs` (in a form that read_token_inputs takes) by name, with `tokens`, [batch, steps], to
/// decode behind them.
[[nodiscard]] tensor::Value with_decode_tokens(const tensor::Value& inputs, std::int64_t batch,
                                               const std::vector<std::int64_t>& tokens);

// Steps count from 1: step k feeds token k behind the prompt.

/// [batch]
[[nodiscard]] std::vector<std::int64_t> step_ids(const TokenInputs& inputs, std::int64_t step);

/// [position_rows]: each row goes on by one from its last position.
[[nodiscard]] std::vector<std::int64_t> step_positions(const TokenInputs& inputs,
                                                       std::int64_t step);

/// One query against the keys that a cache of `window` holds at that step, its own among them.
/// nullopt where no row is padded and the window is not full yet, which lets the fastest kernels
/// run; from the step on that fills the window it is a mask, also where that hides no key.
[[nodiscard]] std::optional<AttentionMask> step_mask(const TokenInputs& inputs, std::int64_t step,
                                                     std::optional<std::int64_t> window);

}  // namespace parity::model
