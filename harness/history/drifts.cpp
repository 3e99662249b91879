#include "history/drifts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "history/spread.h"
#include "run/noise.h"

namespace parity::history {
namespace {

/// Values of earlier `nights`, oldest first. A night on which the place failed says nothing about
/// what is usual.
std::vector<double> earlier_values(const Line& line, const std::vector<std::size_t>& nights) {
  std::vector<double> values;
  for (const std::size_t night : nights) {
    if (!std::isnan(line.values[night]) && line.passes[night] != 0)
      values.push_back(line.values[night]);
  }
  return values;
}

double in_units(const Line& line, std::size_t night, double floor) {
  return facts_of(line.metric).in_roundoffs ? floor * line.roundoff[night] : floor;
}

Floors floors_of(const Line& line, std::size_t night) {
  const MetricFacts& facts = facts_of(line.metric);
  Floors floors{facts.relative_floor, in_units(line, night, facts.absolute_floor)};
  if (!std::isnan(line.noise[night]))
    floors.absolute = std::max(floors.absolute, run::kNoiseMultiple * line.noise[night]);
  return floors;
}

bool is_looked_at(const Line& line, std::size_t night) {
  return !std::isnan(line.values[night]) &&
         (line.passes[night] != 0 || line.metric == Metric::introduced_nrmse);
}

std::optional<Drift> drift_here(const Line& line, std::size_t night,
                                const std::vector<double>& earlier, double typical) {
  const double value = line.values[night];
  const Floors floors = floors_of(line, night);
  Drift drift{line.place, line.metric, DriftKind::step, value, median(earlier), 0, earlier.size()};
  drift.limit = step_limit(earlier, typical, floors);
  if (value > drift.limit) return drift;
  std::vector<double> values = earlier;
  values.push_back(value);
  const Creep creep = creep_of(values, floors);
  if (!creep.creeps) return std::nullopt;
  drift.kind = DriftKind::slow;
  drift.limit = value - creep.rise;
  return drift;
}

std::optional<Drift> drift_in_new(const Line& line, const Window& window, std::size_t night) {
  const std::vector<double> earlier = earlier_values(line, window.any);
  if (earlier.empty()) return std::nullopt;
  const double largest = *std::max_element(earlier.begin(), earlier.end());
  const MetricFacts& facts = facts_of(line.metric);
  const double roundoff = line.roundoff[night];
  const double coarse =
      facts.coarse_floor * (facts.in_roundoffs ? warn_roundoffs(roundoff) * roundoff : 1);
  const double floor = std::max(coarse, floors_of(line, night).absolute);
  const double limit = kCoarseFactor * largest + floor;
  if (!(line.values[night] > limit)) return std::nullopt;
  return Drift{line.place,         line.metric,     DriftKind::new_environment,
               line.values[night], median(earlier), limit,
               earlier.size()};
}

/// The typical relative deviation of each group, from the lines that have one.
std::vector<double> typical_deviations(const Lines& lines,
                                       const std::vector<std::vector<double>>& earlier) {
  std::vector<std::vector<double>> deviations(lines.groups);
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    if (earlier[i].size() >= kLeastNights && median(earlier[i]) > 0)
      deviations[lines.lines[i].group].push_back(relative_deviation(earlier[i]));
  }
  std::vector<double> typical;
  for (std::vector<double>& group : deviations) typical.push_back(median(std::move(group)));
  return typical;
}

}  // namespace

std::vector<Drift> drifts_of(const Lines& lines, const Window& window, std::size_t night) {
  std::vector<std::vector<double>> earlier;
  earlier.reserve(lines.lines.size());
  for (const Line& line : lines.lines)
    earlier.push_back(earlier_values(line, window.same_environment));
  const std::vector<double> typical = typical_deviations(lines, earlier);
  std::vector<Drift> drifts;
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    const Line& line = lines.lines[i];
    if (!is_looked_at(line, night)) continue;
    const std::optional<Drift> drift =
        earlier[i].size() >= kLeastNights ? drift_here(line, night, earlier[i], typical[line.group])
                                          : drift_in_new(line, window, night);
    if (drift) drifts.push_back(*drift);
  }
  return drifts;
}

std::vector<Move> moves_of(const Lines& lines, std::size_t before, std::size_t night,
                           const std::vector<Drift>& drifts) {
  std::vector<Move> moves;
  auto drift = drifts.begin();
  for (const Line& line : lines.lines) {
    const bool drifts_too =
        drift != drifts.end() && drift->place == line.place && drift->metric == line.metric;
    if (drifts_too) ++drift;
    const double from = line.values[before];
    const double to = line.values[night];
    if (std::isnan(from) || std::isnan(to) || !is_looked_at(line, night)) continue;
    const Floors floors = floors_of(line, night);
    const double low = std::min(from, to);
    if (!(std::max(from, to) - low > std::max(low * floors.relative, floors.absolute))) continue;
    if (!drifts_too) moves.push_back({line.place, line.metric, from, to});
  }
  return moves;
}

}  // namespace parity::history
