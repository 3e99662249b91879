// What the reference's own run-to-run noise does to bounds: a tap is never held to less than a
// multiple of how far repeated runs of the reference were apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/metrics.h"
#include "run/noise.h"

namespace parity::gate {

/// How many times the noise explains. Two runs that both lie within a distance d of the device's
/// mean are at most 2 d apart, and so is the candidate from the recorded run; the third is for the
/// few repeats, whose largest difference is smaller than the largest there is.
inline constexpr double kNoiseMultiple = 3;

[[nodiscard]] bool is_nondeterministic(const run::TapNoise* noise);

/// The worst of the repeats; nullopt where it was not measured.
[[nodiscard]] std::optional<double> noise_figure(const run::TapNoise* noise,
                                                 std::string_view metric);

/// `limit` of a metric, or what the noise explains where that is wider: kNoiseMultiple times the
/// figure, for metrics that are 1 at best as far below 1.
[[nodiscard]] double with_noise_floor(double limit, std::string_view metric, Direction direction,
                                      const run::TapNoise* noise);

/// "differs between runs of the reference itself: in 3 of 4 repeats, nrmse up to 2.1e-04".
[[nodiscard]] std::string noise_text(const run::TapNoise& noise);

}  // namespace parity::gate
