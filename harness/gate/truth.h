// Which side is nearer to the truth? A difference between two backends need not be the candidate's
// fault: this turns a tap outside its bounds into `closer` where a run in higher precision shows
// that the candidate is no worse than the reference. It never makes a verdict worse.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/distance.h"
#include "compare/facts.h"
#include "compare/logits_facts.h"
#include "gate/policy.h"
#include "run/tap.h"

namespace parity::gate {

/// A tap of both sides against the same tap of the truth.
struct TruthErrors {
  compare::Distance reference;
  compare::Distance candidate;
};

/// How much nearer to the truth one side has to be before it counts: with factor f (`truth_factor`
/// of the dtype's policy) and unit roundoff u of the dtype, an error e is at most as large as d
/// when
///
///     e <= f d + u
struct TruthRule {
  double factor = 2;
  double floor = 0;  ///< one rounding step of the dtype

  /// False for a NaN on either side and for an infinite error, which is no distance.
  [[nodiscard]] bool no_further(double error, double than) const {
    return std::isfinite(error) && error <= factor * than + floor;
  }
};

/// `dtype`: the coarser of the two sides.
[[nodiscard]] TruthRule truth_rule(const Policy& policy, tensor::DType dtype);

/// `judgement` of the tap by its bounds, seen in the light of the truth. A tap outside its bounds
/// becomes `closer` when all of these hold: no NaN or Inf on one side only, neither between the two
/// sides nor between the candidate and the truth; more than flushed subnormal numbers differs; the
/// candidate's nrmse against the truth is no further than the reference's; nor is its largest error
/// over rms, so that an outlier cannot hide behind the norm. A tap inside its bounds stays there
/// and says so when it fails this.
[[nodiscard]] Judgement judge_by_truth(Judgement judgement, const compare::TensorComparison& facts,
                                       const TruthErrors& errors, const Policy& policy);

/// Logits of both sides against those of the truth, which stands in as the reference.
struct LogitsTruth {
  compare::LogitsComparison reference;
  compare::LogitsComparison candidate;
  compare::FlipsByTruth flips;
};

/// The same for logits: outside their bounds they become `closer` when every row is finite, the
/// mean and the largest KL(truth || candidate) are no further than the reference's (floor u^2), and
/// the truth has the candidate's choice at every decided flip.
[[nodiscard]] Judgement judge_logits_by_truth(Judgement judgement, const LogitsTruth& truth,
                                              tensor::DType dtype, const Policy& policy);

/// How many times the reference's error the candidate's is; 1 where both are 0.
[[nodiscard]] double error_ratio(double candidate, double reference);

/// One tap's errors, for the summary.
struct TruthEntry {
  std::string case_name;
  run::TapId tap;
  tensor::DType dtype = tensor::DType::float32;  ///< the coarser of the two sides
  double reference_nrmse = 0;
  double candidate_nrmse = 0;
  double factor = 2;  ///< by which the tap was judged, see TruthRule
};

enum class WorseSide : std::uint8_t { neither, reference, candidate };

struct TruthSummary {
  WorseSide worse = WorseSide::neither;
  std::uint64_t taps = 0;             ///< with a truth
  std::uint64_t reference_worse = 0;  ///< taps where the reference is further than the candidate
  std::uint64_t candidate_worse = 0;
  std::string sentence;  ///< names the worse side; empty when they are alike
};

/// The side that is further from the truth at more taps, and at a tenth of them at least. `truth`:
/// what to call it in the sentence.
[[nodiscard]] TruthSummary summarize_truth(const std::vector<TruthEntry>& entries,
                                           const std::string& truth);

}  // namespace parity::gate
