#include "gate/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace parity::gate {

namespace {

/// From here on a limit of this metric lets worthless values through. A share of elements is not
/// among them: noise reaches all elements long before it is large.
double explains_anything_from(std::string_view metric) {
  if (metric == "nrmse") return 1;            // zeros in the place of everything
  if (metric.substr(0, 2) == "kl") return 1;  // nat: probabilities off by a factor of e
  if (metric == "decided_flips") return 1;    // the reference changes its own answers
  return std::numeric_limits<double>::infinity();
}

}  // namespace

bool is_nondeterministic(const run::TapNoise* noise) {
  return noise != nullptr && noise->differing > 0;
}

std::optional<double> noise_figure(const run::TapNoise* noise, std::string_view metric) {
  if (noise == nullptr) return std::nullopt;
  const auto found =
      std::find_if(noise->figures.begin(), noise->figures.end(),
                   [&](const run::NoiseFigure& figure) { return figure.metric == metric; });
  if (found == noise->figures.end()) return std::nullopt;
  return found->value;
}

std::optional<NoiseFloor> noise_floor(std::string_view metric, Direction direction,
                                      const run::TapNoise* noise) {
  const std::optional<double> figure = noise_figure(noise, metric);
  if (!figure) return std::nullopt;
  constexpr double kBest = 1;
  if (direction == Direction::lower_is_worse) {
    const double limit = kBest - run::kNoiseMultiple * (kBest - *figure);
    return NoiseFloor{limit, !(limit > 0)};
  }
  const double limit = run::kNoiseMultiple * *figure;
  return NoiseFloor{limit, !std::isfinite(limit) || limit >= explains_anything_from(metric)};
}

std::string noise_text(const run::TapNoise& noise) {
  std::string text =
      fmt::format("differs between runs of the reference itself: in {} of {} repeats",
                  noise.differing, noise.repeats);
  if (const std::optional<double> nrmse = noise_figure(&noise, "nrmse"))
    text += fmt::format(", nrmse up to {:.2g}", *nrmse);
  return text;
}

NoiseSummary summarize_noise(const std::vector<NoiseEntry>& entries) {
  NoiseSummary summary;
  summary.taps = entries.size();
  double worst = 0;
  const NoiseEntry* noisiest = nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const run::TapNoise& noise = entries[i].noise;
    summary.repeats = i == 0 ? noise.repeats : std::min(summary.repeats, noise.repeats);
    if (noise.differing == 0) continue;
    ++summary.differing;
    if (!summary.first) summary.first = i;
    const double nrmse = noise_figure(&noise, "nrmse").value_or(0);
    if (nrmse > worst) noisiest = &entries[i];
    worst = std::max(worst, nrmse);
  }
  if (!summary.first) return summary;
  const NoiseEntry& first = entries[*summary.first];
  summary.sentence = fmt::format(
      "{} of {} taps {} not the same in every run ({} repeats), the first {} of case {}",
      summary.differing, summary.taps, summary.differing == 1 ? "is" : "are", summary.repeats,
      run::to_string(first.tap), first.case_name);
  if (noisiest != nullptr) {
    summary.sentence +=
        fmt::format("; nrmse up to {:.2g}, at {}", worst, run::to_string(noisiest->tap));
  }
  return summary;
}

}  // namespace parity::gate
