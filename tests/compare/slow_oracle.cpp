#include "compare/slow_oracle.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using Wide = long double;

/// Place among the representable numbers, counted from zero, from the value itself.
__int128 place(double value, OracleFormat format) {
  if (value == 0) return 0;
  const Wide size = std::fabs(static_cast<Wide>(value));
  const int exponent =
      std::max(static_cast<int>(std::floor(std::log2(size))), format.lowest_exponent);
  const Wide significand = std::ldexp(size, format.fraction_bits - exponent);
  const auto octaves = static_cast<__int128>(exponent - format.lowest_exponent)
                       << format.fraction_bits;
  const auto steps = octaves + static_cast<__int128>(significand);
  return value < 0 ? -steps : steps;
}

std::uint64_t ulp_edge(std::uint64_t ulp) {
  if (ulp <= 2) return ulp;
  std::uint64_t edge = 3;
  std::uint64_t width = 2;
  while (ulp - edge >= width) {
    edge += width;
    width *= 2;
  }
  return edge;
}

double relative_edge(double relative) {
  if (relative == 0) return 0;
  double edge = std::ldexp(1.0, -60);
  while (edge < std::ldexp(1.0, 20) && relative >= 2 * edge) edge *= 2;
  return edge;
}

bool add_class(double r, double c, OracleFacts& facts) {
  ClassCounts& n = facts.classes;
  if (std::isnan(r) && std::isnan(c)) {
    ++n.both_nan;
    ++n.equal_bits;
  } else if (std::isnan(r)) {
    ++n.nan_reference_only;
  } else if (std::isnan(c)) {
    ++n.nan_candidate_only;
  } else if (std::isinf(r) && std::isinf(c)) {
    if (r == c) {
      ++n.inf_equal;
      ++n.equal_bits;
    } else {
      ++n.inf_opposite;
    }
  } else if (std::isinf(r)) {
    ++n.inf_reference_only;
  } else if (std::isinf(c)) {
    ++n.inf_candidate_only;
  } else {
    ++n.finite;
    if (r == c && std::signbit(r) == std::signbit(c)) ++n.equal_bits;
    return true;
  }
  return false;
}

void add_zero_classes(double r, double c, double smallest_normal, ClassCounts& n) {
  if (r == 0 && c == 0 && std::signbit(r) != std::signbit(c)) ++n.zero_sign;
  if (r == 0 && c != 0) ++n.zero_reference;
  const auto subnormal = [&](double v) { return v != 0 && std::fabs(v) < smallest_normal; };
  if ((r == 0 && subnormal(c)) || (c == 0 && subnormal(r))) ++n.flushed_to_zero;
}

void expect_close(const char* figure, double actual, Wide expected, Wide scale) {
  const Wide difference = std::fabs(static_cast<Wide>(actual) - expected);
  EXPECT_LE(difference, 1e-12L * scale)
      << figure << fmt::format(": {:a} against {:a}", actual, static_cast<double>(expected));
}

void expect_histogram(const char* figure, const Histogram& histogram,
                      const std::map<double, std::uint64_t>& oracle) {
  ASSERT_EQ(histogram.edges.size(), histogram.counts.size());
  std::uint64_t counted = 0;
  for (std::size_t bin = 0; bin < histogram.edges.size(); ++bin) {
    const auto found = oracle.find(histogram.edges[bin]);
    const std::uint64_t expected = found == oracle.end() ? 0 : found->second;
    counted += expected;
    EXPECT_EQ(histogram.counts[bin], expected)
        << figure << fmt::format(" bin from {:a}", histogram.edges[bin]);
  }
  std::uint64_t total = 0;
  for (const auto& [edge, count] : oracle) total += count;
  EXPECT_EQ(counted, total) << figure << ": some bin of the oracle has no edge";
}

template <typename T>
void expect_quantile(const char* figure, double actual, const std::vector<T>& sorted, double share,
                     double slack) {
  if (sorted.empty()) {
    EXPECT_EQ(actual, 0) << figure;
    return;
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
  const auto exact = static_cast<double>(sorted[rank - 1]);
  EXPECT_GE(actual, exact) << figure << " p" << share;
  EXPECT_LE(actual, exact == 0 ? 0 : std::max(slack * exact, static_cast<double>(0)))
      << figure << " p" << share;
}

}  // namespace

OracleFacts slow_facts(const std::vector<double>& reference, const std::vector<double>& candidate,
                       OracleFormat format) {
  OracleFacts facts;
  Wide rr = 0;
  Wide cc = 0;
  Wide rc = 0;
  Wide dd = 0;
  Wide sum = 0;
  Wide size = 0;
  const double smallest_normal = std::ldexp(1.0, format.lowest_exponent);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i];
    const double c = candidate[i];
    if (!add_class(r, c, facts)) continue;
    add_zero_classes(r, c, smallest_normal, facts.classes);
    const __int128 apart = place(c, format) - place(r, format);
    const auto ulp = static_cast<std::uint64_t>(apart < 0 ? -apart : apart);
    facts.ulps.push_back(ulp);
    ++facts.ulp_counts[static_cast<double>(ulp_edge(ulp))];
    const Wide wide_difference = static_cast<Wide>(c) - static_cast<Wide>(r);
    if (r != 0 || c == 0) {
      double relative = r == c ? 0 : std::fabs(c - r) / std::fabs(r);
      if (std::isinf(c - r))
        relative = std::fabs(static_cast<double>(wide_difference / 4)) / std::fabs(r / 4);
      facts.relatives.push_back(relative);
      ++facts.relative_counts[relative_edge(relative)];
    }
    facts.max_absolute = std::max(facts.max_absolute, std::fabs(c - r));
    rr += static_cast<Wide>(r) * r;
    cc += static_cast<Wide>(c) * c;
    rc += static_cast<Wide>(r) * c;
    dd += wide_difference * wide_difference;
    sum += wide_difference;
    size += std::fabs(wide_difference);
  }
  std::sort(facts.ulps.begin(), facts.ulps.end());
  std::sort(facts.relatives.begin(), facts.relatives.end());
  if (!facts.ulps.empty()) {
    facts.mean_signed = sum / static_cast<Wide>(facts.ulps.size());
    facts.mean_size = size / static_cast<Wide>(facts.ulps.size());
  }
  if (dd != 0) {
    facts.nrmse = rr == 0 ? std::numeric_limits<Wide>::infinity() : std::sqrt(dd / rr);
    facts.cosine = rr == 0 || cc == 0 ? 0 : rc / (std::sqrt(rr) * std::sqrt(cc));
  }
  return facts;
}

void expect_equal_facts(const TensorComparison& facts, const OracleFacts& oracle) {
  const ClassCounts& n = facts.classes;
  EXPECT_EQ(n, oracle.classes) << fmt::format(
      "equal_bits {} finite {} zero_reference {} zero_sign {} flushed {}; oracle {} {} {} {} {}",
      n.equal_bits, n.finite, n.zero_reference, n.zero_sign, n.flushed_to_zero,
      oracle.classes.equal_bits, oracle.classes.finite, oracle.classes.zero_reference,
      oracle.classes.zero_sign, oracle.classes.flushed_to_zero);
  expect_histogram("ulp", facts.ulp.histogram, oracle.ulp_counts);
  expect_histogram("relative", facts.relative.histogram, oracle.relative_counts);
  EXPECT_EQ(facts.ulp.max, oracle.ulps.empty() ? 0 : oracle.ulps.back());
  const double max_relative = oracle.relatives.empty() ? 0 : oracle.relatives.back();
  EXPECT_EQ(facts.relative.max, max_relative)
      << fmt::format("{:a} {:a}", facts.relative.max, max_relative);
  for (const auto& [share, actual] : {std::pair{0.5, facts.ulp.quantiles.p50},
                                      {0.9, facts.ulp.quantiles.p90},
                                      {0.99, facts.ulp.quantiles.p99},
                                      {0.999, facts.ulp.quantiles.p999}}) {
    expect_quantile("ulp", actual, oracle.ulps, share, 2.0);
  }
  for (const auto& [share, actual] : {std::pair{0.5, facts.relative.quantiles.p50},
                                      {0.9, facts.relative.quantiles.p90},
                                      {0.99, facts.relative.quantiles.p99},
                                      {0.999, facts.relative.quantiles.p999}}) {
    expect_quantile("relative", actual, oracle.relatives, share,
                    actual > 1e6 ? std::numeric_limits<double>::infinity() : 2.0);
  }
  EXPECT_EQ(facts.absolute.max, oracle.max_absolute);
  expect_close("mean_signed", facts.absolute.mean_signed, oracle.mean_signed, oracle.mean_size);
  if (std::isinf(oracle.nrmse)) {
    EXPECT_TRUE(std::isinf(facts.nrmse)) << facts.nrmse;
  } else {
    expect_close("nrmse", facts.nrmse, oracle.nrmse, oracle.nrmse);
  }
  expect_close("cosine", facts.cosine, oracle.cosine, 1);
}

}  // namespace parity::compare
