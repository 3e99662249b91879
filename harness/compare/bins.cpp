// Edges of the histograms and nearest-rank quantiles from counts.
#include "compare/bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/float_format.h"

namespace parity::compare {
namespace {

struct Rank {
  double value;
  bool exact;
};

/// Rank `numerator`/1000 of `total`, rounded up, without floating arithmetic; 1-based.
std::uint64_t nearest_rank(std::uint64_t total, std::uint64_t numerator) {
  const std::uint64_t whole = total / 1000 * numerator;
  const std::uint64_t rest = total % 1000 * numerator;
  return whole + (rest + 999) / 1000;
}

Rank value_at(const Histogram& histogram, UpperEdge upper_edge, double max, std::uint64_t rank) {
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    seen += histogram.counts[bin];
    if (seen < rank) continue;
    const double lower = histogram.edges[bin];
    if (bin == 0) return {0, true};
    double upper = max;
    if (bin + 1 < histogram.edges.size()) {
      const double next = histogram.edges[bin + 1];
      upper = upper_edge == UpperEdge::inclusive_integer ? next - 1 : next;
    }
    return {std::min(upper, max), upper_edge == UpperEdge::inclusive_integer && upper == lower};
  }
  return {0, true};
}

}  // namespace

Histogram ulp_histogram(const UlpCounts& counts, tensor::DType dtype) {
  // The largest distance is below 2^bits of the type, whose bin is 1 + bits.
  const std::size_t bins = std::min(kUlpBins, 2 + 8 * tensor::size_bytes(tensor::component(dtype)));
  Histogram histogram;
  histogram.counts.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(bins));
  for (std::size_t bin = bins; bin < kUlpBins; ++bin) histogram.counts.back() += counts[bin];
  histogram.edges = {0, 1};
  for (std::size_t bin = 2; bin < bins; ++bin) {
    histogram.edges.push_back(std::ldexp(1.0, static_cast<int>(bin) - 2) + 1);
  }
  return histogram;
}

Histogram relative_histogram(const RelativeCounts& counts) {
  Histogram histogram;
  histogram.counts.assign(counts.begin(), counts.end());
  histogram.edges = {0};
  for (int exponent = kLowestRelativeExponent; exponent <= kHighestRelativeExponent; ++exponent) {
    histogram.edges.push_back(power_of_two(exponent));
  }
  return histogram;
}

Quantiles quantiles(const Histogram& histogram, UpperEdge upper_edge, double max) {
  const std::uint64_t total =
      std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0});
  Quantiles result;
  if (total == 0) return result;
  const auto at = [&](std::uint64_t per_mille) {
    const Rank rank = value_at(histogram, upper_edge, max, nearest_rank(total, per_mille));
    result.approximate = result.approximate || !rank.exact;
    return rank.value;
  };
  result.p50 = at(500);
  result.p90 = at(900);
  result.p99 = at(990);
  result.p999 = at(999);
  return result;
}

}  // namespace parity::compare
