// Pooled figures are those of all positions at once, held against one comparison of them all.
#include "compare/pool_logits.h"

#include <random>

#include <gtest/gtest.h>

#include "compare/compare_logits.h"
#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

constexpr std::size_t kVocabulary = 20;

std::vector<float> random_logits(std::size_t rows, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(rows * kVocabulary);
  for (float& value : values) value = normal(random);
  return values;
}

tensor::HostTensor rows_of(const std::vector<float>& values, std::size_t first, std::size_t rows) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * kVocabulary);
  return floats({static_cast<std::int64_t>(rows), 1, static_cast<std::int64_t>(kVocabulary)},
                {begin, begin + static_cast<std::ptrdiff_t>(rows * kVocabulary)});
}

TEST(PooledLogits, AreThoseOfAllPositionsAtOnce) {
  const std::vector<float> reference = random_logits(7, 1);
  std::vector<float> candidate = random_logits(7, 2);
  for (std::size_t i = 0; i < candidate.size(); ++i)
    candidate[i] = reference[i] + 0.4F * candidate[i];
  candidate[3 * kVocabulary] = std::numeric_limits<float>::quiet_NaN();
  const auto part = [&](std::size_t first, std::size_t rows) {
    return compare_logits(Reference{rows_of(reference, first, rows).view()},
                          Candidate{rows_of(candidate, first, rows).view()}, {});
  };
  const LogitsComparison whole = part(0, 7);
  const LogitsComparison found = pooled({part(0, 1), part(1, 2), part(3, 1), part(4, 3)});
  EXPECT_GT(whole.flips, 0U);
  EXPECT_EQ(found.positions, 7U);
  EXPECT_EQ(found.non_finite_rows, 1U);
  EXPECT_EQ(found.flips, whole.flips);
  EXPECT_EQ(found.decided_flips, whole.decided_flips);
  EXPECT_EQ(found.decided_gap, whole.decided_gap);
  EXPECT_EQ(found.max_flip_gap, whole.max_flip_gap);
  EXPECT_EQ(found.max_logprob_change, whole.max_logprob_change);
  EXPECT_DOUBLE_EQ(found.top1_agreement, whole.top1_agreement);
  ASSERT_EQ(found.topk_overlap.size(), whole.topk_overlap.size());
  for (std::size_t k = 0; k < found.topk_overlap.size(); ++k) {
    EXPECT_EQ(found.topk_overlap[k].first, whole.topk_overlap[k].first);
    EXPECT_DOUBLE_EQ(found.topk_overlap[k].second, whole.topk_overlap[k].second);
  }
  EXPECT_DOUBLE_EQ(found.kl.mean, whole.kl.mean);
  EXPECT_EQ(found.kl.max, whole.kl.max);
  EXPECT_GE(found.kl.p99, whole.kl.p99) << "an upper limit";
  EXPECT_DOUBLE_EQ(found.kl_reverse.mean, whole.kl_reverse.mean);
  EXPECT_EQ(found.kl_reverse.max, whole.kl_reverse.max);
}

/// Outputs of a file need not have one vocabulary.
TEST(PooledLogits, PoolATopKOverlapOverThePartsThatHaveIt) {
  LogitsComparison large;
  large.positions = 1;
  large.topk_overlap = {{5, 0.8}, {10, 0.9}};
  LogitsComparison small = large;
  small.positions = 3;
  small.topk_overlap = {{5, 0.4}};
  LogitsComparison tiny = large;
  tiny.topk_overlap = {};
  for (const auto& parts : {std::vector{large, small, tiny}, std::vector{tiny, small, large}}) {
    const LogitsComparison found = pooled(parts);
    ASSERT_EQ(found.topk_overlap.size(), 2U);
    EXPECT_EQ(found.topk_overlap[0].first, 5);
    EXPECT_DOUBLE_EQ(found.topk_overlap[0].second, 0.5);
    EXPECT_EQ(found.topk_overlap[1].first, 10);
    EXPECT_DOUBLE_EQ(found.topk_overlap[1].second, 0.9);
  }
}

TEST(PooledLogits, OfNothingHaveNoPosition) {
  const LogitsComparison found = pooled(std::vector<LogitsComparison>{});
  EXPECT_EQ(found.positions, 0U);
  EXPECT_EQ(found.kl.mean, 0);
}

}  // namespace
}  // namespace parity::compare
