// Token by token: what a case that was decoded says about the tokens that each side chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gate/policy.h"
#include "report/report.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// The tokens that every run of a case is fed behind its prompt.
struct FedTokens {
  std::int64_t rows = 0;
  std::int64_t steps = 0;
  std::vector<std::int64_t> ids;  ///< [rows, steps]
};

/// nullopt when the inputs ask for no decode.
[[nodiscard]] std::optional<FedTokens> fed_tokens(const tensor::Value& inputs);

/// Whether the output is one of a step: each pass behind the first is a call of its own.
[[nodiscard]] bool is_decode_step(const run::TapId& id);

/// nullopt as well when the outputs are not those of a decode: another model may have an input of
/// that name.
[[nodiscard]] std::optional<FedTokens> fed_tokens(const tensor::Value& inputs,
                                                  const run::CaseRecord& record);

/// What the two sides of a case were given.
struct CaseInputs {
  tensor::Value reference;
  tensor::Value candidate;
};

/// Fills the decode of a compared case of `reference`, and notes where the two sides were fed
/// different tokens, as goldens are that each chose its own.
void add_decode(const CaseInputs& inputs, const run::CaseRecord& reference,
                const gate::Policy& policy, report::Case& compared);

}  // namespace parity::pipeline
