// The facts of a comparison of logits: plain numbers without any judgement. Knows nothing of the
// tensors that they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace parity::compare {

/// Quantiles of a per-row figure.
struct RowFigure {
  double mean = 0;
  double p99 = 0;
  double max = 0;
};

/// The best token of both sides behind one sequence.
struct NextToken {
  std::int64_t reference = 0;
  std::int64_t candidate = 0;
  double gap = 0;  ///< logit units: between the reference's two best
};

/// Facts about logits whose last dimension is the vocabulary; a position is one row.
struct LogitsComparison {
  std::uint64_t positions = 0;
  double top1_agreement = 1;  ///< share of positions
  std::uint64_t flips = 0;
  std::uint64_t decided_flips =
      0;                    ///< flips where the reference's top-2 gap is at least decided_gap
  double decided_gap = 0;   ///< logit units
  double max_flip_gap = 0;  ///< largest reference gap among flips: the evidence of a tie
  std::vector<std::pair<int, double>> topk_overlap;  ///< k, mean share of common entries
  RowFigure kl;                                      ///< KL(reference || candidate), nat
  RowFigure kl_reverse;                              ///< KL(candidate || reference), nat
  std::vector<std::int64_t>
      first_divergent;  ///< per sequence, first position whose top-1 differs, -1 for none
  std::vector<std::optional<NextToken>>
      next_tokens;                ///< per sequence, at its last position; nullopt: not finite
  double max_logprob_change = 0;  ///< nat, over tokens finite on both sides
  std::uint64_t non_finite_rows =
      0;  ///< rows with NaN or +Inf on either side: not in the figures above
};

/// Whom a third set of logits, the truth, agrees with where reference and candidate choose
/// differently. Positions with NaN or +Inf on any of the three are left out.
struct FlipsByTruth {
  std::uint64_t flips = 0;      ///< positions where the best token differs
  std::uint64_t candidate = 0;  ///< of these, the truth's best token is the candidate's
  std::uint64_t reference = 0;  ///< or the reference's
  std::uint64_t decided = 0;    ///< flips where the reference's top-2 gap is at least decided_gap
  std::uint64_t decided_elsewhere = 0;  ///< of these, the truth's is not the candidate's
};

}  // namespace parity::compare
