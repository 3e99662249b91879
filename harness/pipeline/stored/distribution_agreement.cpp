// Histograms, and what is read off them: the quantiles exactly, the largest value by its bin.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "compare/bins.h"
#include "compare/formats.h"
#include "pipeline/stored/facts_agreement.h"

namespace parity::pipeline {
namespace {

using compare::Histogram;
using compare::Quantiles;

std::string named(std::string_view distribution, std::string_view figure) {
  return fmt::format("{}.{}", distribution, figure);
}

/// Wide enough for sums that an altered count makes wrap round.
double sum_of(const Histogram& histogram) {
  return std::accumulate(
      histogram.counts.begin(), histogram.counts.end(), 0.0,
      [](double sum, std::uint64_t count) { return sum + static_cast<double>(count); });
}

/// Of the last bin that is not empty; 0 where all are.
std::size_t last_filled(const Histogram& histogram) {
  const auto found = std::find_if(histogram.counts.rbegin(), histogram.counts.rend(),
                                  [](std::uint64_t count) { return count != 0; });
  const auto behind = static_cast<std::size_t>(found - histogram.counts.rbegin());
  return behind == histogram.counts.size() ? 0 : histogram.counts.size() - 1 - behind;
}

Contradiction of_edges(std::string_view name, const Histogram& histogram,
                       const Histogram& expected) {
  if (histogram.edges.size() != expected.edges.size()) {
    return disagreement(named(name, "histogram with bins"),
                        static_cast<double>(histogram.edges.size()), "those of its dtype,",
                        static_cast<double>(expected.edges.size()));
  }
  for (std::size_t bin = 0; bin < expected.edges.size(); ++bin) {
    if (histogram.edges[bin] != expected.edges[bin]) {
      return disagreement(named(name, fmt::format("histogram.edges[{}]", bin)),
                          histogram.edges[bin], "the bin's own edge", expected.edges[bin]);
    }
  }
  return std::nullopt;
}

Contradiction of_sum(std::string_view name, const Histogram& histogram, std::string_view other,
                     std::uint64_t expected) {
  const double sum = sum_of(histogram);
  if (sum == static_cast<double>(expected)) return std::nullopt;
  return disagreement(named(name, "histogram with a sum of"), sum, other,
                      static_cast<double>(expected));
}

Contradiction of_quantiles(std::string_view name, const Quantiles& stated,
                           const Quantiles& expected) {
  struct Figure {
    std::string_view name;
    double Quantiles::*value;
  };
  for (const Figure& figure : {Figure{"p50", &Quantiles::p50}, Figure{"p90", &Quantiles::p90},
                               Figure{"p99", &Quantiles::p99}, Figure{"p999", &Quantiles::p999}}) {
    if (stated.*figure.value != expected.*figure.value) {
      return disagreement(named(name, figure.name), stated.*figure.value,
                          named(name, "histogram, whose rank is at"), expected.*figure.value);
    }
  }
  if (stated.approximate != expected.approximate) {
    return disagreement(named(name, "approximate"), stated.approximate ? "true" : "false",
                        named(name, "histogram"), "of its counts");
  }
  return std::nullopt;
}

/// The largest value lies in the last bin that holds any.
Contradiction of_largest_ulp(const compare::UlpDistribution& ulp) {
  const std::size_t last = last_filled(ulp.histogram);
  const std::size_t bin = std::min(compare::ulp_bin(ulp.max), ulp.histogram.counts.size() - 1);
  if (bin == last) return std::nullopt;
  return disagreement("ulp.max", static_cast<double>(ulp.max),
                      "ulp.histogram, whose last bin with pairs is from",
                      ulp.histogram.edges[last]);
}

Contradiction of_largest_relative(const compare::RelativeDistribution& relative) {
  const std::vector<double>& edges = relative.histogram.edges;
  const std::size_t last = last_filled(relative.histogram);
  // Below the first bin's edge lie 64-bit integers alone, which are counted in it.
  const bool is_open_below = last == 1;
  const bool fits = last == 0
                        ? relative.max == 0
                        : (is_open_below ? relative.max > 0 : at_most(edges[last], relative.max)) &&
                              (last + 1 == edges.size() || at_most(relative.max, edges[last + 1]));
  if (fits) return std::nullopt;
  return disagreement("relative.max", relative.max,
                      "relative.histogram, whose last bin with pairs is from", edges[last]);
}

/// Pairs of equal values: all of the first bin in one format, but for bools, which are as good as
/// equal with other bytes.
Contradiction of_equal_pairs(const compare::TensorComparison& facts) {
  const std::uint64_t equal = equal_finite(facts.classes) + facts.classes.zero_sign;
  const std::uint64_t in_ulp = facts.ulp.histogram.counts[0];
  const std::uint64_t in_relative = facts.relative.histogram.counts[0];
  const bool is_exact = is_one_format(facts) && facts.ulp.dtype != tensor::DType::boolean;
  if (in_ulp < equal || (is_exact && in_ulp != equal)) {
    return disagreement("ulp.histogram.counts[0]", static_cast<double>(in_ulp),
                        "equal pairs, in classes,", static_cast<double>(equal));
  }
  if (in_relative >= equal) return std::nullopt;
  return disagreement("relative.histogram.counts[0]", static_cast<double>(in_relative),
                      "equal pairs, in classes,", static_cast<double>(equal));
}

Contradiction of_dtype(const compare::TensorComparison& facts) {
  const tensor::DType expected = compare::coarser(tensor::component(facts.reference_dtype),
                                                  tensor::component(facts.candidate_dtype));
  if (facts.ulp.dtype == expected) return std::nullopt;
  return disagreement("ulp.dtype", tensor::name(facts.ulp.dtype), "the coarser dtype",
                      tensor::name(expected));
}

}  // namespace

Contradiction contradiction_of_distributions(const MeasuredFacts& measured) {
  const compare::TensorComparison& facts = measured.facts;
  if (auto found = of_dtype(facts)) return found;
  const Histogram ulp = compare::ulp_histogram({}, facts.ulp.dtype);
  if (auto found = of_edges("ulp", facts.ulp.histogram, ulp)) return found;
  const Histogram relative = compare::relative_histogram({});
  if (auto found = of_edges("relative", facts.relative.histogram, relative)) return found;
  if (auto found = of_sum("ulp", facts.ulp.histogram, "classes.finite", facts.classes.finite))
    return found;
  if (auto found =
          of_sum("relative", facts.relative.histogram, "classes.finite without zero_reference,",
                 facts.classes.finite - facts.classes.zero_reference)) {
    return found;
  }
  if (auto found = of_equal_pairs(facts)) return found;
  if (auto found = of_largest_ulp(facts.ulp)) return found;
  if (auto found = of_largest_relative(facts.relative)) return found;
  const Quantiles of_ulp =
      compare::quantiles(facts.ulp.histogram, compare::UpperEdge::inclusive_integer,
                         static_cast<double>(facts.ulp.max));
  if (auto found = of_quantiles("ulp", facts.ulp.quantiles, of_ulp)) return found;
  return of_quantiles("relative", facts.relative.quantiles,
                      compare::quantiles(facts.relative.histogram, compare::UpperEdge::next_edge,
                                         facts.relative.max));
}

}  // namespace parity::pipeline
