#include "history/lines.h"

#include <limits>
#include <map>
#include <string>

#include "tensor/dtype.h"

namespace parity::history {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double roundoff_of(const std::string& dtype) {
  const auto parsed = tensor::dtype_from_name(dtype);
  return parsed ? tensor::unit_roundoff(*parsed) : 0;
}

/// A place's lines stand side by side, the first of them here.
using FirstLine = std::map<std::pair<Place, Of>, std::size_t>;

void add_lines(Lines& lines, std::map<std::pair<std::string, Metric>, std::size_t>& groups,
               const Place& place, Of of, std::size_t nights) {
  for (const MetricFacts& metric : all_metrics()) {
    if (metric.of != of || metric.watched == Watched::no) continue;
    const std::size_t group =
        groups.emplace(std::pair(place.case_name, metric.metric), groups.size()).first->second;
    lines.lines.push_back({place, metric.metric, group, std::vector<double>(nights, kNaN),
                           std::vector<double>(nights, kNaN), std::vector<char>(nights, 0),
                           std::vector<double>(nights, 0)});
  }
  lines.groups = groups.size();
}

/// Places of the newest night first, in its order; then those that only older ones have.
FirstLine make_lines(const Series& series, Lines& lines) {
  FirstLine first;
  std::map<std::pair<std::string, Metric>, std::size_t> groups;
  for (auto run = series.runs.rbegin(); run != series.runs.rend(); ++run) {
    for (const Of of : {Of::tap, Of::logits}) {
      for (const PlaceResult& result : of == Of::tap ? run->taps : run->logits) {
        if (first.emplace(std::pair(result.place, of), lines.lines.size()).second)
          add_lines(lines, groups, result.place, of, series.runs.size());
      }
    }
  }
  return first;
}

void fill_lines(Lines& lines, std::size_t first, const PlaceResult& result, Of of,
                std::size_t night) {
  const double roundoff = roundoff_of(result.dtype);
  const bool passes = run::passes(result.verdict, run::Strictness::normal);
  std::size_t index = first;
  for (const MetricFacts& metric : all_metrics()) {
    if (metric.of != of || metric.watched == Watched::no) continue;
    Line& line = lines.lines[index++];
    line.values[night] = result.figures.get(metric.metric);
    line.noise[night] = result.noise.get(metric.metric);
    line.passes[night] = passes ? 1 : 0;
    line.roundoff[night] = roundoff;
  }
}

}  // namespace

Lines lines_of(const Series& series) {
  Lines lines;
  const FirstLine first = make_lines(series, lines);
  for (std::size_t night = 0; night < series.runs.size(); ++night) {
    const Run& run = series.runs[night];
    for (const Of of : {Of::tap, Of::logits}) {
      for (const PlaceResult& result : of == Of::tap ? run.taps : run.logits)
        fill_lines(lines, first.at({result.place, of}), result, of, night);
    }
  }
  return lines;
}

}  // namespace parity::history
