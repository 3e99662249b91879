// All 2^32 pairs of bfloat16 and of float16 patterns: class and distance against a ranking of the
// values themselves. The oracle knows no bit tricks: it sorts all finite values, both zeros in one
// place, and subtracts ranks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "compare/chunk_threads.h"
#include "compare/pair.h"
#include "compare/ulp.h"

namespace parity::compare {
namespace {

constexpr std::size_t kPatterns = 65536;

/// Exact value of a 16-bit pattern from its fields, in ordinary arithmetic.
double decode(std::size_t pattern, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int top = (1 << exponent_bits) - 1;
  const int bias = top / 2;
  const auto field = static_cast<int>((pattern >> fraction_bits) & static_cast<std::size_t>(top));
  const double fraction =
      static_cast<double>(pattern & ((std::size_t{1} << fraction_bits) - 1)) / (1 << fraction_bits);
  const double sign = pattern >= kPatterns / 2 ? -1.0 : 1.0;
  using Limits = std::numeric_limits<double>;
  if (field == top) return fraction == 0 ? sign * Limits::infinity() : Limits::quiet_NaN();
  return sign *
         (field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias));
}

/// Rank of every finite pattern among the distinct finite values; a marker for the others.
constexpr std::int32_t kNotFinite = -1;

std::vector<std::int32_t> ranks(int exponent_bits) {
  std::vector<double> values(kPatterns);
  std::vector<double> sorted;
  for (std::size_t pattern = 0; pattern < kPatterns; ++pattern) {
    values[pattern] = decode(pattern, exponent_bits);
    if (std::isfinite(values[pattern])) sorted.push_back(values[pattern]);
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::int32_t> rank(kPatterns, kNotFinite);
  for (std::size_t pattern = 0; pattern < kPatterns; ++pattern) {
    if (!std::isfinite(values[pattern])) continue;
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), values[pattern]);
    rank[pattern] = static_cast<std::int32_t>(place - sorted.begin());
  }
  return rank;
}

/// Number of candidates whose distance from `reference` is not the difference of ranks, or whose
/// finiteness differs. Branch-free over 32-bit integers: 8.6 billion pairs must vectorise.
template <typename F>
std::uint32_t wrong_pairs(std::uint16_t reference, const std::vector<std::uint16_t>& candidates,
                          const std::vector<std::int32_t>& rank) {
  const std::int32_t r_rank = rank[reference];
  const std::uint32_t r_finite = F::is_finite(reference) ? 1 : 0;
  const std::uint32_t r_ranked = r_rank != kNotFinite ? 1 : 0;
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const std::uint16_t candidate = candidates[i];
    const std::uint32_t both = r_finite & (F::is_finite(candidate) ? 1U : 0U);
    const std::uint32_t ranked = r_ranked & (rank[i] != kNotFinite ? 1U : 0U);
    const auto steps = static_cast<std::int32_t>(F::steps(reference, candidate));
    const std::uint32_t misplaced = steps != std::abs(rank[i] - r_rank) ? 1 : 0;
    wrong += (both ^ ranked) | (both & misplaced);
  }
  return wrong;
}

template <typename F>
void expect_no_wrong_pair(int exponent_bits) {
  const std::vector<std::int32_t> rank = ranks(exponent_bits);
  std::uint64_t finite = 0;
  for (const std::int32_t place : rank) finite += place != kNotFinite ? 1 : 0;
  ASSERT_EQ(finite, kPatterns - (std::size_t{2} << (15 - exponent_bits)));
  std::vector<std::uint16_t> candidates(kPatterns);
  std::iota(candidates.begin(), candidates.end(), std::uint16_t{0});
  std::vector<std::uint32_t> wrong(kPatterns);
  for_each_chunk(kPatterns, 2, [&](std::size_t, std::size_t reference) {
    wrong[reference] = wrong_pairs<F>(static_cast<std::uint16_t>(reference), candidates, rank);
  });
  for (std::size_t reference = 0; reference < kPatterns; ++reference) {
    ASSERT_EQ(wrong[reference], 0U) << "candidates of reference pattern " << reference;
  }
}

TEST(UlpDistanceOverAllPairs, IsTheDifferenceOfRanksInBFloat16) {
  expect_no_wrong_pair<BFloat16Format>(8);
}

TEST(UlpDistanceOverAllPairs, IsTheDifferenceOfRanksInFloat16) {
  expect_no_wrong_pair<Float16Format>(5);
}

TEST(UlpDistanceOverAllPairs, UsesTheStepsAndFinitenessThatTheLoopsAboveProve) {
  // The public function must be these two building blocks and nothing else.
  for (std::size_t reference = 0; reference < kPatterns; reference += 257) {
    for (std::size_t candidate = 0; candidate < kPatterns; candidate += 127) {
      const auto r = static_cast<std::uint16_t>(reference);
      const auto c = static_cast<std::uint16_t>(candidate);
      const auto found = ulp_distance(Reference<Float16Bits>{{r}}, Candidate<Float16Bits>{{c}});
      const bool both = Float16Format::is_finite(r) && Float16Format::is_finite(c);
      ASSERT_EQ(found.has_value(), both);
      if (both) {
        ASSERT_EQ(*found, Float16Format::steps(r, c));
      }
    }
  }
}

/// The class of a pair from the two values, in the order a person would ask.
PairKind kind_of(double r, double c) {
  if (std::isnan(r)) return std::isnan(c) ? PairKind::both_nan : PairKind::nan_reference_only;
  if (std::isnan(c)) return PairKind::nan_candidate_only;
  if (std::isinf(r) && std::isinf(c)) return r == c ? PairKind::inf_equal : PairKind::inf_opposite;
  if (std::isinf(r)) return PairKind::inf_reference_only;
  return std::isinf(c) ? PairKind::inf_candidate_only : PairKind::finite;
}

void expect_classes(tensor::DType dtype, int exponent_bits) {
  // Every pattern against one of each class and both signs of it: classes depend on nothing else.
  const auto fraction_bits = static_cast<std::size_t>(15 - exponent_bits);
  const std::size_t infinity = ((std::size_t{1} << static_cast<std::size_t>(exponent_bits)) - 1)
                               << fraction_bits;
  std::vector<std::size_t> others = {0,
                                     1,
                                     (std::size_t{1} << fraction_bits) - 1,
                                     std::size_t{1} << fraction_bits,
                                     0x3C00,
                                     infinity - 1,
                                     infinity,
                                     infinity + 1,
                                     0x7FFF};
  for (std::size_t i = others.size(); i-- > 0;) others.push_back(others[i] | 0x8000U);
  std::vector<std::uint16_t> all(kPatterns);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  std::vector<Pair> pairs(kPatterns);
  for (const std::size_t other : others) {
    const std::vector<std::uint16_t> same(kPatterns, static_cast<std::uint16_t>(other));
    const auto view = [&](const std::vector<std::uint16_t>& values) {
      return tensor::TensorView{
          dtype, {static_cast<std::int64_t>(kPatterns)}, std::as_bytes(std::span(values))};
    };
    make_pair_source(Reference{view(all)}, Candidate{view(same)})->read(0, pairs);
    for (std::size_t pattern = 0; pattern < kPatterns; ++pattern) {
      ASSERT_EQ(pairs[pattern].kind,
                kind_of(decode(pattern, exponent_bits), decode(other, exponent_bits)))
          << pattern << " against " << other;
    }
  }
}

TEST(UlpDistanceOverAllPairs, ComesWithTheClassOfTheValues) {
  expect_classes(tensor::DType::bfloat16, 8);
  expect_classes(tensor::DType::float16, 5);
}

}  // namespace
}  // namespace parity::compare
