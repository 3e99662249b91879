// Token by token: what a case that was decoded says about the tokens that each side chooses. States
// facts alone; whether a changed token is a fault, the gate says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/sides.h"
#include "report/data/report.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// What the outputs of a case are: each stands for itself, or those behind the first are the steps
/// of a decode, whose averages are judged together and nowhere else.
enum class Passes : std::uint8_t { one, prompt_and_steps };

/// The tokens that every run of a case is fed behind its prompt.
struct FedTokens {
  std::int64_t rows = 0;
  std::int64_t steps = 0;
  std::vector<std::int64_t> ids;  ///< [rows, steps]
};

/// nullopt when the inputs ask for no decode: one row and one token a row are the least.
[[nodiscard]] std::optional<FedTokens> fed_tokens(const tensor::Value& inputs);

/// nullopt as well when the outputs are not those of a decode of so many rows: another model may
/// have an input of that name.
[[nodiscard]] std::optional<FedTokens> fed_tokens(const tensor::Value& inputs,
                                                  const run::CaseRecord& record);

/// Of a case of the reference, with what it was given.
[[nodiscard]] Passes passes_of(const tensor::Value& inputs, const run::CaseRecord& record);

/// What the two sides of a case were given.
struct BothInputs {
  compare::Reference<tensor::Value> reference;
  compare::Candidate<tensor::Value> candidate;
};

/// Fills the decode of a compared case, and notes where the two sides were fed different tokens, as
/// goldens are that each chose its own. Does nothing for one pass.
void add_decode(const BothInputs& inputs, Passes passes, report::Case& compared);

/// Fills what `decode` says of the first `steps` together: their logits as one, and the truth's
/// where each has one. Behind them the two sides were fed different tokens.
void pool_steps(const report::Case& compared, std::int64_t steps, report::Decode& decode);

}  // namespace parity::pipeline
