// From the worst that was measured of one metric to its limits: headroom, and what no limit may be
// below or above. Knows no rule and no tap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/calibration.h"
#include "gate/metrics.h"
#include "gate/policy.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// Metrics that a calibrated rule bounds: those of the built-in policy, and how far off nearly all
/// elements are in ulp, which a norm does not say of small values beside large ones.
[[nodiscard]] std::vector<std::string_view> calibrated_metrics(tensor::DType dtype);
[[nodiscard]] std::vector<std::string_view> calibrated_logits_metrics();
/// The same of what not every comparison measures: what a layer introduces, and how many times the
/// reference's error against the truth the candidate's is.
[[nodiscard]] std::vector<std::string_view> late_metrics(tensor::DType dtype);

/// What limits are made from.
struct Measured {
  double worst = 0;
  bool known = false;          ///< whether any run measured the metric
  double headroom = 1;         ///< fail over worst
  std::uint64_t elements = 1;  ///< of the smallest tap; of logits, positions
};

struct Limit {
  double warn = 0;
  double fail = 0;
  std::string remark;  ///< where the limits are not those of the headroom
};

/// The built-in policy's bound; nullopt where it has none.
[[nodiscard]] std::optional<Bound> built_in_bound(std::string_view metric, tensor::DType dtype);
[[nodiscard]] std::optional<Bound> built_in_logits_bound(std::string_view metric);

/// nullopt where limits above what was measured would let anything pass.
[[nodiscard]] std::optional<Limit> tap_limit(std::string_view metric, tensor::DType dtype,
                                             const Measured& measured);
[[nodiscard]] std::optional<Limit> logits_limit(std::string_view metric, tensor::DType dtype,
                                                const Measured& measured);

}  // namespace parity::gate
