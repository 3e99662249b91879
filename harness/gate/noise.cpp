#include "gate/noise.h"

#include <algorithm>

#include <fmt/format.h>

namespace parity::gate {

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

double with_noise_floor(double limit, std::string_view metric, Direction direction,
                        const run::TapNoise* noise) {
  const std::optional<double> figure = noise_figure(noise, metric);
  if (!figure) return limit;
  constexpr double kBest = 1;
  return direction == Direction::higher_is_worse
             ? std::max(limit, kNoiseMultiple * *figure)
             : std::min(limit, kBest - kNoiseMultiple * (kBest - *figure));
}

std::string noise_text(const run::TapNoise& noise) {
  std::string text =
      fmt::format("differs between runs of the reference itself: in {} of {} repeats",
                  noise.differing, noise.repeats);
  if (const std::optional<double> nrmse = noise_figure(&noise, "nrmse"))
    text += fmt::format(", nrmse up to {:.2g}", *nrmse);
  return text;
}

}  // namespace parity::gate
