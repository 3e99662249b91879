// What came of decoding token by token: counts, the first token on which the sides part, and the
// verdict that was given on all steps together. Judges nothing itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/logits_facts.h"
#include "report/data/truth.h"
#include "run/tap.h"
#include "run/verdict.h"

namespace parity::report {

/// The first step, and of its rows the first, at which the two sides choose another token.
struct DivergentToken {
  std::int64_t token = 0;  ///< which token behind the prompt, from 1
  std::int64_t step = 0;   ///< whose logits choose it: `<output>#step`; 0 is the prompt's
  std::int64_t row = 0;
  std::int64_t reference = 0;  ///< token ids
  std::int64_t candidate = 0;
  double margin = 0;     ///< logit units: between the reference's two best tokens
  bool decided = false;  ///< the margin is large enough that rounding does not turn it
};

/// Where the logits of the steps begin, which stand for all of them.
[[nodiscard]] inline run::TapId first_step() {
  return {run::TapKind::output, std::string(run::kOutputPath), "", 1, ""};
}

/// Every pass chooses a token for every row, the last one a token that no pass is fed.
struct Decode {
  run::TapId id;  ///< of the first step's logits
  std::int64_t steps = 0;
  std::int64_t rows = 0;       ///< sequences decoded side by side
  std::uint64_t tokens = 0;    ///< (steps + 1) x rows
  std::uint64_t compared = 0;  ///< of these, with finite logits on both sides, which were fed alike
  std::uint64_t agree = 0;     ///< of these, the same on both sides
  std::optional<DivergentToken> first_divergent;
  std::int64_t pooled_steps = 0;                  ///< in which every row was fed alike
  compare::LogitsComparison logits;               ///< pooled over these
  std::optional<LogitsTruth> truth = {};          ///< the same; absent unless each of them has one
  run::Verdict verdict = run::Verdict::untested;  ///< of these
  std::vector<std::string> reasons;
  std::string rule;  ///< of the policy, which judged these; empty where none did
};

}  // namespace parity::report
