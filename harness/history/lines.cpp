#include "history/lines.h"

#include <limits>
#include <set>

#include "tensor/dtype.h"

namespace parity::history {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Key = std::pair<Place, Metric>;

double roundoff_of(const std::string& dtype) {
  const auto parsed = tensor::dtype_from_name(dtype);
  return parsed ? tensor::unit_roundoff(*parsed) : 0;
}

/// Places of the newest night first, in its order; then those that only older ones have.
std::vector<std::pair<Place, Of>> ordered_places(const Series& series) {
  std::vector<std::pair<Place, Of>> order;
  std::set<std::pair<Place, Of>> seen;
  for (auto run = series.runs.rbegin(); run != series.runs.rend(); ++run) {
    for (const Of of : {Of::tap, Of::logits}) {
      for (const PlaceResult& result : of == Of::tap ? run->taps : run->logits) {
        if (seen.insert({result.place, of}).second) order.emplace_back(result.place, of);
      }
    }
  }
  return order;
}

std::vector<std::size_t> environments_of(const Series& series) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> result;
  for (const Run& run : series.runs) {
    std::string text = run.model;
    for (const run::Provenance* side : {&run.reference, &run.candidate}) {
      for (const auto& [key, value] : environment_facts(*side)) text += '\0' + key + '\0' + value;
      text += '\0';
    }
    result.push_back(known.emplace(text, known.size()).first->second);
  }
  return result;
}

}  // namespace

Lines lines_of(const Series& series) {
  Lines lines;
  lines.environment = environments_of(series);
  std::map<Key, std::size_t> index;
  std::map<std::pair<std::string, Metric>, std::size_t> groups;
  const std::size_t nights = series.runs.size();
  for (const auto& [place, of] : ordered_places(series)) {
    for (const MetricFacts& metric : all_metrics()) {
      if (metric.of != of || metric.watched == Watched::no) continue;
      index[{place, metric.metric}] = lines.lines.size();
      const std::size_t group =
          groups.emplace(std::pair(place.case_name, metric.metric), groups.size()).first->second;
      lines.lines.push_back({place, metric.metric, group, std::vector<double>(nights, kNaN),
                             std::vector<double>(nights, kNaN), std::vector<char>(nights, 0),
                             std::vector<double>(nights, 0)});
    }
  }
  lines.groups = groups.size();
  for (std::size_t night = 0; night < nights; ++night) {
    const Run& run = series.runs[night];
    for (const Of of : {Of::tap, Of::logits}) {
      for (const PlaceResult& result : of == Of::tap ? run.taps : run.logits) {
        const double roundoff = roundoff_of(result.dtype);
        for (const MetricFacts& metric : all_metrics()) {
          if (metric.of != of || metric.watched == Watched::no) continue;
          Line& line = lines.lines[index.at({result.place, metric.metric})];
          line.values[night] = result.figures.get(metric.metric);
          line.noise[night] = result.noise.get(metric.metric);
          line.passes[night] = run::passes(result.verdict, run::Strictness::normal) ? 1 : 0;
          line.roundoff[night] = roundoff;
        }
      }
    }
  }
  return lines;
}

}  // namespace parity::history
