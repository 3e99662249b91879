// Judges the logits of a decode: each step has one position a row, and an average over so few says
// nothing, so averages are judged over all steps together.
#pragma once

#include <optional>
#include <vector>

#include "compare/facts.h"
#include "compare/logits_facts.h"
#include "gate/policy.h"
#include "gate/truth.h"
#include "run/noise.h"

namespace parity::gate {

/// As judge_logits, by the bounds that hold at every single position. A policy that has none judges
/// by those that it has.
[[nodiscard]] Judgement judge_step(const compare::LogitsComparison& logits,
                                   const compare::Outcome& output, const Policy& policy,
                                   const TapRules& rules = {});

/// By the bounds on averages; a policy that has none judges by those that it has. `steps`: all of
/// them pooled; rows that are not finite are left to judge_step. `truth`: the same against a truth,
/// where there is one. `dtype`: the coarser of the two sides. Of `rules`, noise counts: that of the
/// steps.
[[nodiscard]] Judgement judge_decode(compare::LogitsComparison steps,
                                     const std::optional<LogitsTruth>& truth, tensor::DType dtype,
                                     const Policy& policy, const TapRules& rules = {});

/// The noise of several taps as one tap's: of each metric of logits the worst.
[[nodiscard]] run::TapNoise pooled_noise(const std::vector<const run::TapNoise*>& taps);

}  // namespace parity::gate
