#include "history/metrics.h"

#include <limits>

namespace parity::history {

const std::array<MetricFacts, kMetricCount>& all_metrics() {
  static constexpr auto kYes = Watched::yes;
  static constexpr auto kNo = Watched::no;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  // nrmse: u/16 is one element in 256 that rounds the other way (u times the root of their share);
  // KL: a hundredth of the built-in policy's warn bounds; ulp quantiles come from bins that double.
  // The coarse floors are above all that bench/history/new_environments.py measures between healthy
  // environments: nrmse 3.4 u of a warn bound of 6 u in 16 bits and 20 u of 64 u in float32, what a
  // layer introduces 0.46 u and 3.1 u.
  static constexpr std::array<MetricFacts, kMetricCount> kMetrics = {{
      {Metric::nrmse, "nrmse", "nrmse", Of::tap, kYes, 0.1, 1.0 / 16, 3.0 / 4, true},
      {Metric::ulp_p99, "ulp.p99", "ulp_p99", Of::tap, kYes, 1, 2, kNever, false},
      {Metric::introduced_nrmse, "introduced.nrmse", "introduced_nrmse", Of::tap, kYes, 0.1,
       1.0 / 16, 1.0 / 6, true},
      {Metric::max_error_over_rms, "max_error_over_rms", "max_error_over_rms", Of::tap, kNo, 1, 0,
       0, false},
      {Metric::exact_share, "exact_share", "exact_share", Of::tap, kNo, 1, 0, 0, false},
      {Metric::truth_ratio, "truth.ratio", "truth_ratio", Of::tap, kNo, 1, 0, 0, false},
      {Metric::kl_mean, "kl.mean", "kl_mean", Of::logits, kYes, 0.25, 2e-6, 1e-4, false},
      {Metric::kl_max, "kl.max", "kl_max", Of::logits, kYes, 0.5, 1e-4, 5e-3, false},
      {Metric::flips, "flips", "flips", Of::logits, kYes, 0.5, 2, kNever, false},
      {Metric::decided_flips, "decided_flips", "decided_flips", Of::logits, kYes, 0, 0.5, 0.5,
       false},
      {Metric::top1_agreement, "top1_agreement", "top1_agreement", Of::logits, kNo, 1, 0, 0, false},
  }};
  return kMetrics;
}

double warn_roundoffs(double roundoff) {
  constexpr double kOfFloat8 = 0x1p-5;
  constexpr double kOfSixteenBits = 0x1p-11;
  if (roundoff >= kOfFloat8) return 1;
  return roundoff >= kOfSixteenBits ? 6 : 64;
}

const MetricFacts& facts_of(Metric metric) { return all_metrics()[index_of(metric)]; }

}  // namespace parity::history
