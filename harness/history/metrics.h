// The figures that are followed from night to night, and how much of a change in each means
// nothing. Knows no values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parity::history {

enum class Metric : std::uint8_t {
  nrmse,
  ulp_p99,
  introduced_nrmse,
  max_error_over_rms,
  exact_share,
  truth_ratio,
  kl_mean,
  kl_max,
  flips,
  decided_flips,
  top1_agreement,
};
inline constexpr std::size_t kMetricCount = 11;
[[nodiscard]] constexpr std::size_t index_of(Metric metric) {
  return static_cast<std::size_t>(metric);
}

enum class Of : std::uint8_t { tap, logits };
enum class Watched : std::uint8_t { yes, no };

/// The constants have their origin in docs/history.md.
struct MetricFacts {
  Metric metric;
  std::string_view name;    ///< as policies and reports call it
  std::string_view column;  ///< of the tables tap_result and logits_result
  Of of;
  Watched watched;        ///< whether a drift of it is looked for
  double relative_floor;  ///< a rise by less than this part of the usual value is none
  double absolute_floor;  ///< nor is one by less than this, in units of the metric
  /// The same for the first nights in an environment; infinite: not looked at.
  double coarse_floor;
  /// The absolute floor is in unit roundoffs of the dtype, the coarse one in parts of what the
  /// built-in policy warns at for nrmse.
  bool in_roundoffs;
};

[[nodiscard]] const std::array<MetricFacts, kMetricCount>& all_metrics();
[[nodiscard]] const MetricFacts& facts_of(Metric metric);

/// What the built-in policy warns at for nrmse of a dtype with this unit roundoff, in roundoffs.
[[nodiscard]] double warn_roundoffs(double roundoff);

}  // namespace parity::history
