// What the reference's own run-to-run noise does to bounds: a tap is never held to less than a
// multiple of how far repeated runs of the reference were apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/metrics.h"
#include "run/noise.h"
#include "run/tap.h"

namespace parity::gate {

[[nodiscard]] bool is_nondeterministic(const run::TapNoise* noise);

/// The worst of the repeats; nullopt where it was not measured.
[[nodiscard]] std::optional<double> noise_figure(const run::TapNoise* noise,
                                                 std::string_view metric);

/// What the noise of one metric explains: run::kNoiseMultiple times the figure; of metrics that are
/// 1 at best, as far below 1.
struct NoiseFloor {
  double limit = 0;
  /// No limit at all: worthless values would be inside it too (an nrmse of 1 as of zeros, a KL of
  /// 1 nat, a decided flip, an agreement of 0, no finite number).
  bool explains_anything = false;
};

/// nullopt where the noise was not measured.
[[nodiscard]] std::optional<NoiseFloor> noise_floor(std::string_view metric, Direction direction,
                                                    const run::TapNoise* noise);

/// "differs between runs of the reference itself: in 3 of 4 repeats, nrmse up to 2.1e-04".
[[nodiscard]] std::string noise_text(const run::TapNoise& noise);

/// A tap of a recording that was repeated.
struct NoiseEntry {
  std::string case_name;
  run::TapId tap;
  const run::TapNoise& noise;
};

struct NoiseSummary {
  std::int64_t repeats = 0;  ///< of each case: the fewest where cases differ
  std::uint64_t taps = 0;
  std::uint64_t differing = 0;
  std::optional<std::size_t> first;  ///< entry of the first that differs
  std::string sentence;  ///< "12 of 59 taps are not the same in every run (4 repeats), the first X
                         ///< of case a; nrmse up to 0.00018, at Y"; empty where all are
};

/// `entries` in execution order, by case.
[[nodiscard]] NoiseSummary summarize_noise(const std::vector<NoiseEntry>& entries);

}  // namespace parity::gate
