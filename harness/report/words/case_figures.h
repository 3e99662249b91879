// What there is to say of a case in one row: counts, the worst tap, the worst of its logits.
// Picks and counts; no figure is computed from tensors here.
#pragma once

#include <cstdint>
#include <optional>

#include "report/data/report.h"

namespace parity::report {

/// The tap with the largest nrmse; nullptr where nothing was measured. A NaN is the largest.
[[nodiscard]] const Tap* worst_tap(const Case& item);

[[nodiscard]] std::uint64_t suspect_taps(const Case& item);
/// Suspect ones are not among them.
[[nodiscard]] std::uint64_t failed_taps(const Case& item);

/// The worst over the case's outputs: a prompt with its decoded steps has many.
struct WorstLogits {
  double top1_agreement = 1;
  double kl_mean = 0;  ///< nat
  std::uint64_t decided_flips = 0;
};
/// Absent for a case without logits.
[[nodiscard]] std::optional<WorstLogits> worst_logits(const Case& item);

/// Neither a failure nor a warning.
[[nodiscard]] bool is_fine(run::Verdict verdict);
[[nodiscard]] bool is_failure(run::Verdict verdict);

}  // namespace parity::report
