// What a user would see: flips, decided flips, divergences, overlap, with suppressed tokens and
// broken rows.
#include "compare/compare_logits.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "compare/made_tensor.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

LogitsComparison logits(const tensor::HostTensor& reference, const tensor::HostTensor& candidate,
                        const LogitsOptions& options = {}) {
  return compare_logits(Reference{reference.view()}, Candidate{candidate.view()}, options);
}

std::vector<float> random_logits(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

TEST(Logits, OfIdenticalSidesGiveExactlyZero) {
  const auto same = floats({2, 3, 50}, random_logits(300, 1));
  const auto facts = logits(same, same);
  EXPECT_EQ(facts.positions, 6U);
  EXPECT_EQ(facts.top1_agreement, 1);
  EXPECT_EQ(facts.flips, 0U);
  EXPECT_EQ(facts.kl.max, 0);
  EXPECT_EQ(facts.kl_reverse.mean, 0);
  EXPECT_EQ(facts.max_logprob_change, 0);
  EXPECT_EQ(facts.topk_overlap, (std::vector<std::pair<int, double>>{{5, 1.0}, {10, 1.0}}));
  EXPECT_EQ(facts.first_divergent, (std::vector<std::int64_t>{-1, -1}));
  EXPECT_EQ(facts.non_finite_rows, 0U);
}

TEST(Logits, SayWhatBothSidesChooseBehindEachSequence) {
  const auto facts =
      logits(floats({3, 2, 3}, {9, 0, 0, 0, 2, 1.5F, 0, 0, 9, 4, 4, 1, 0, 0, 9, 1, 2, kNan}),
             floats({3, 2, 3}, {0, 9, 0, 0, 2, 3, 0, 0, 9, 4, 4, 1, 0, 0, 9, 1, 2, 3}));
  ASSERT_EQ(facts.next_tokens.size(), 3U);
  ASSERT_TRUE(facts.next_tokens[0].has_value());
  EXPECT_EQ(facts.next_tokens[0]->reference, 1);
  EXPECT_EQ(facts.next_tokens[0]->candidate, 2);
  EXPECT_EQ(facts.next_tokens[0]->gap, 0.5);
  ASSERT_TRUE(facts.next_tokens[1].has_value());
  EXPECT_EQ(facts.next_tokens[1]->reference, 0) << "the first of equal logits";
  EXPECT_EQ(facts.next_tokens[1]->gap, 0);
  EXPECT_FALSE(facts.next_tokens[2].has_value()) << "no choice among NaN";
}

TEST(Logits, AgreeWithAStraightforwardKl) {
  const auto reference = random_logits(4 * 40, 2);
  auto candidate = random_logits(4 * 40, 3);
  for (std::size_t i = 0; i < candidate.size(); ++i)
    candidate[i] = reference[i] + 0.1F * candidate[i];
  long double largest = 0;
  long double sum = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    long double p_total = 0;
    long double q_total = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      p_total += std::exp(static_cast<long double>(reference[row * 40 + i]));
      q_total += std::exp(static_cast<long double>(candidate[row * 40 + i]));
    }
    long double kl = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      const long double p = std::exp(static_cast<long double>(reference[row * 40 + i])) / p_total;
      const long double q = std::exp(static_cast<long double>(candidate[row * 40 + i])) / q_total;
      kl += p * std::log(p / q);
    }
    largest = std::max(largest, kl);
    sum += kl;
  }
  const auto facts = logits(floats({4, 40}, reference), floats({4, 40}, candidate));
  EXPECT_NEAR(facts.kl.max, static_cast<double>(largest), 1e-12);
  EXPECT_NEAR(facts.kl.mean, static_cast<double>(sum / 4), 1e-12);
  EXPECT_EQ(facts.kl.p99, facts.kl.max);
  EXPECT_GT(facts.kl_reverse.max, 0);
}

// O07: suppressed tokens are -inf on both sides.
TEST(Logits, StayFiniteWhereBothSidesAreMinusInfinity) {
  const auto facts =
      logits(floats({1, 4}, {1, -kInf, 2, -kInf}), floats({1, 4}, {1.5F, -kInf, 2, -kInf}));
  EXPECT_TRUE(std::isfinite(facts.kl.max));
  EXPECT_GT(facts.kl.max, 0);
  EXPECT_TRUE(std::isfinite(facts.kl_reverse.max));
  EXPECT_TRUE(std::isfinite(facts.max_logprob_change));
  EXPECT_EQ(facts.non_finite_rows, 0U);
}

TEST(Logits, AreInfinitelyFarWhereOneSideExcludesATokenOfTheOther) {
  const auto facts = logits(floats({1, 3}, {1, 0, 2}), floats({1, 3}, {1, -kInf, 2}));
  EXPECT_TRUE(std::isinf(facts.kl.max));
  EXPECT_TRUE(std::isfinite(facts.kl_reverse.max));
}

// B13: a constant per row changes the numbers and no probability.
TEST(Logits, DoNotSeeAConstantPerRow) {
  const auto reference = random_logits(5 * 64, 4);
  auto candidate = reference;
  for (std::size_t i = 0; i < candidate.size(); ++i)
    candidate[i] += 0.125F * static_cast<float>(1 + i / 64);
  const auto facts = logits(floats({5, 64}, reference), floats({5, 64}, candidate));
  EXPECT_LT(facts.kl.max, 1e-12);
  EXPECT_LT(facts.max_logprob_change, 1e-5);
  EXPECT_EQ(facts.top1_agreement, 1);
  EXPECT_EQ(facts.topk_overlap[0].second, 1);
  EXPECT_GT(compare(floats({5, 64}, reference), floats({5, 64}, candidate)).absolute.max, 0.6);
}

TEST(Logits, TellDecidedFlipsFromTies) {
  const auto reference = floats({3, 3}, {5, 4.9F, 0, 5, 1, 0, 5, 4, 0});
  const auto candidate = floats({3, 3}, {4.9F, 5, 0, 1, 5, 0, 5, 4, 0});
  const auto facts = logits(reference, candidate);
  EXPECT_EQ(facts.flips, 2U);
  EXPECT_EQ(facts.decided_flips, 1U);
  EXPECT_EQ(facts.decided_gap, 2.0);
  EXPECT_EQ(facts.max_flip_gap, 4);
  EXPECT_DOUBLE_EQ(facts.top1_agreement, 1.0 / 3);
  LogitsOptions strict;
  strict.decided_gap = 0.05;
  EXPECT_EQ(logits(reference, candidate, strict).decided_flips, 2U);
}

// B26: right for five positions, then wrong.
TEST(Logits, NameTheFirstDivergentPositionOfEachSequence) {
  auto reference = random_logits(3 * 8 * 20, 5);
  auto candidate = reference;
  for (std::size_t position = 5; position < 8; ++position) candidate[(8 + position) * 20 + 3] = 100;
  candidate[(16 + 0) * 20 + 1] = 100;
  const auto facts = logits(floats({3, 8, 20}, reference), floats({3, 8, 20}, candidate));
  EXPECT_EQ(facts.first_divergent, (std::vector<std::int64_t>{-1, 5, 0}));
  EXPECT_EQ(facts.positions, 24U);
}

TEST(Logits, MeasureTopKOverlapAndLeaveOutSizesPastTheVocabulary) {
  const auto reference = floats({1, 6}, {6, 5, 4, 3, 2, 1});
  const auto candidate = floats({1, 6}, {6, 5, 1, 2, 3, 4});
  LogitsOptions options;
  options.top_k = {2, 4, 7};
  const auto facts = logits(reference, candidate, options);
  ASSERT_EQ(facts.topk_overlap.size(), 2U);
  EXPECT_EQ(facts.topk_overlap[0], (std::pair<int, double>{2, 1.0}));
  EXPECT_EQ(facts.topk_overlap[1], (std::pair<int, double>{4, 0.5}))
      << "6 5 4 3 against 6 5 1's place and 3's";
}

TEST(Logits, CountBrokenRowsApart) {
  const auto reference = floats({4, 2}, {1, 2, 1, kNan, 1, 2, -kInf, -kInf});
  const auto candidate = floats({4, 2}, {1, 2, 1, 2, kInf, 2, 1, 2});
  const auto facts = logits(reference, candidate);
  EXPECT_EQ(facts.positions, 4U);
  EXPECT_EQ(facts.non_finite_rows, 3U);
  EXPECT_EQ(facts.top1_agreement, 1);
  const auto all_broken = logits(floats({1, 2}, {kNan, 1}), floats({1, 2}, {kNan, 1}));
  EXPECT_EQ(all_broken.top1_agreement, 0) << "nothing agreed";
}

TEST(Logits, AcceptNoPositionsAndSmallShapes) {
  EXPECT_EQ(logits(floats({0, 5}, {}), floats({0, 5}, {})).positions, 0U);
  EXPECT_EQ(logits(floats({0, 5}, {}), floats({0, 5}, {})).top1_agreement, 1);
  EXPECT_EQ(logits(floats({2, 0}, {}), floats({2, 0}, {})).positions, 0U);
  EXPECT_EQ(logits(floats({3}, {1, 2, 3}), floats({3}, {1, 2, 3})).positions, 1U);
  EXPECT_EQ(logits(floats({2, 1}, {1, 2}), floats({2, 1}, {1, 2})).kl.max, 0);
}

TEST(Logits, OfDifferentDTypesAreComparedInFloat64) {
  std::vector<std::uint16_t> narrow;
  const auto wide = random_logits(200, 6);
  for (const float value : wide) narrow.push_back(to_bfloat16(value));
  const auto facts = logits(floats({2, 100}, wide), made_tensor(DType::bfloat16, {2, 100}, narrow));
  EXPECT_GT(facts.kl.max, 0);
  EXPECT_LT(facts.kl.max, 1e-3);
}

TEST(Logits, RefuseOtherShapesAndIntegers) {
  EXPECT_THROW(static_cast<void>(logits(floats({1, 3}, {1, 2, 3}), floats({3, 1}, {1, 2, 3}))),
               Error);
  EXPECT_THROW(static_cast<void>(logits(floats({}, {1}), floats({}, {1}))), Error);
  const auto whole = made_vector<std::int32_t>(DType::int32, {1, 2});
  EXPECT_THROW(static_cast<void>(logits(whole, whole)), Error);
}

}  // namespace
}  // namespace parity::compare
