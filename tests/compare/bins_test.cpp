// Edges of both histograms and quantiles read off them.
#include "compare/bins.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

TEST(UlpBins, DoubleFromThreeOnAndHoldTheirOwnEdges) {
  struct Row {
    std::uint64_t ulp;
    std::size_t bin;
  };
  for (const Row& row :
       {Row{0, 0}, Row{1, 1}, Row{2, 2}, Row{3, 3}, Row{4, 3}, Row{5, 4}, Row{8, 4}, Row{9, 5},
        Row{1ULL << 31U, 32}, Row{(1ULL << 31U) + 1, 33}, Row{1ULL << 63U, 64}, Row{~0ULL, 65}}) {
    EXPECT_EQ(ulp_bin(row.ulp), row.bin) << row.ulp;
  }
}

TEST(UlpBins, AreAsManyAsTheDTypeNeeds) {
  UlpCounts counts{};
  counts[0] = 7;
  counts[3] = 2;
  const Histogram narrow = ulp_histogram(counts, tensor::DType::bfloat16);
  EXPECT_EQ(narrow.edges.size(), 18U);
  EXPECT_EQ(narrow.counts.size(), 18U);
  EXPECT_EQ(narrow.edges[0], 0);
  EXPECT_EQ(narrow.edges[3], 3);
  EXPECT_EQ(narrow.edges[4], 5);
  EXPECT_EQ(narrow.counts[3], 2U);
  EXPECT_EQ(ulp_histogram(counts, tensor::DType::float32).edges.size(), 34U);
  EXPECT_EQ(ulp_histogram(counts, tensor::DType::complex64).edges.size(), 34U);
  EXPECT_EQ(ulp_histogram(counts, tensor::DType::float64).edges.size(), 66U);
}

TEST(UlpBins, KeepCountsBeyondTheLastBinOfANarrowDType) {
  UlpCounts counts{};
  counts[40] = 3;
  EXPECT_EQ(ulp_histogram(counts, tensor::DType::float8_e5m2).counts.back(), 3U);
}

TEST(RelativeBins, ArePowersOfTwoWithInclusiveLowerEdges) {
  struct Row {
    double relative;
    double edge;
  };
  const Histogram histogram = relative_histogram({});
  EXPECT_EQ(histogram.edges[0], 0);
  EXPECT_EQ(histogram.edges[1], 0x1p-60);
  for (const Row& row :
       {Row{0, 0}, Row{0x1p-60, 0x1p-60}, Row{0x1p-63, 0x1p-60}, Row{0.5, 0.5},
        Row{0x1.fffffffffffffp-2, 0.25}, Row{1, 1}, Row{0x1p20, 0x1p20}, Row{1e300, 0x1p20},
        Row{std::numeric_limits<double>::infinity(), 0x1p20}, Row{5e-324, 0x1p-60}}) {
    EXPECT_EQ(histogram.edges[relative_bin(row.relative)], row.edge) << row.relative;
  }
}

TEST(Quantiles, AreNearestRankAndExactInBinsOfOneValue) {
  Histogram histogram{{0, 1, 2, 3, 5}, {500, 400, 90, 9, 1}};
  const Quantiles found = quantiles(histogram, UpperEdge::inclusive_integer, 7);
  EXPECT_EQ(found.p50, 0);
  EXPECT_EQ(found.p90, 1);
  EXPECT_EQ(found.p99, 2);
  EXPECT_EQ(found.p999, 4);
  EXPECT_TRUE(found.approximate);
  histogram.counts = {500, 400, 99, 1, 0};
  EXPECT_FALSE(quantiles(histogram, UpperEdge::inclusive_integer, 4).approximate);
}

TEST(Quantiles, NeverPassTheMaximum) {
  const Histogram histogram{{0, 0.5, 1}, {0, 10, 0}};
  EXPECT_EQ(quantiles(histogram, UpperEdge::next_edge, 0.625).p50, 0.625);
  EXPECT_EQ(quantiles(histogram, UpperEdge::next_edge, 0.625).p999, 0.625);
}

TEST(Quantiles, OfNothingAndOfOneValueAreDefined) {
  const Quantiles nothing = quantiles({{0, 1}, {0, 0}}, UpperEdge::inclusive_integer, 0);
  EXPECT_EQ(nothing.p50, 0);
  EXPECT_FALSE(nothing.approximate);
  EXPECT_EQ(quantiles({{0, 1}, {0, 1}}, UpperEdge::inclusive_integer, 1).p50, 1);
}

}  // namespace
}  // namespace parity::compare
