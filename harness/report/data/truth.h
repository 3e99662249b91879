// What a run in higher precision says about both sides: figures and one sentence, no judgement.
// Which of the two sides is right is left to its reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/logits_facts.h"

namespace parity::report {

/// Both sides of a tap against the same tap of a run in higher precision.
struct TapTruth {
  std::string dtype;  ///< the truth's
  double reference_nrmse = 0;
  double candidate_nrmse = 0;
  double ratio = 1;  ///< candidate's over reference's
  double reference_max_error_over_rms = 0;
  double candidate_max_error_over_rms = 0;
  /// What the reference is wrong by itself: against the truth from the reference's own inputs.
  std::optional<double> reference_introduced_nrmse = {};
  /// Elements with NaN or Inf on the side or in the truth alone, or Inf of another sign.
  std::uint64_t reference_one_sided = 0;
  std::uint64_t candidate_one_sided = 0;
};

/// Both sides of logits against those of a run in higher precision.
struct LogitsTruth {
  compare::RowFigure reference_kl;  ///< KL(truth || reference), nat
  compare::RowFigure candidate_kl;  ///< KL(truth || candidate), nat
  /// Rows with NaN or +Inf on the side or in the truth: not in the figures above.
  std::uint64_t reference_non_finite_rows = 0;
  std::uint64_t candidate_non_finite_rows = 0;
  compare::FlipsByTruth flips;
};

/// Which side is further from the truth, over all taps that have one.
struct TruthSummary {
  std::string dtype;  ///< "float64"; several are joined by " and "
  std::string file;   ///< golden that holds the truth
  std::string worse;  ///< "reference", "candidate" or "neither"
  std::uint64_t taps = 0;
  std::uint64_t reference_worse = 0;  ///< taps
  std::uint64_t candidate_worse = 0;  ///< taps
  std::string sentence;               ///< empty when they are alike
};

}  // namespace parity::report
