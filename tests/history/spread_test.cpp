#include "history/spread.h"

#include <cmath>

#include <gtest/gtest.h>

#include "history/made_nights.h"

namespace parity::history {
namespace {

using history_test::Random;

constexpr Floors kNoFloors{};

TEST(Spread, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Spread, RelativeDeviationIsThatOfANormalDistribution) {
  Random random(1);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(5 * (1 + 0.1 * random.normal()));
  EXPECT_NEAR(relative_deviation(values), 0.1, 0.003);
  EXPECT_EQ(relative_deviation({0, 0, 0}), 0);
  EXPECT_EQ(relative_deviation({2, 2, 2, 9}), 0);  // one outlier is none of its business
}

TEST(StepLimit, IsTheLargestOfItsParts) {
  const std::vector<double> equal(8, 2.0);
  EXPECT_EQ(step_limit(equal, 0, kNoFloors), 2);
  EXPECT_EQ(step_limit(equal, 0, {0.1, 0}), 2.2);
  EXPECT_EQ(step_limit(equal, 0, {0, 0.5}), 2.5);
  // 6 (1 + 4/8) x 0.02 = 0.18
  EXPECT_DOUBLE_EQ(step_limit(equal, 0.02, kNoFloors), 2 * std::exp(0.18));
  // Two high nights count, one does not.
  EXPECT_EQ(step_limit({2, 2, 2, 2, 2, 2, 2, 9}, 0, kNoFloors), 2);
  EXPECT_EQ(step_limit({2, 2, 2, 2, 2, 2, 3, 9}, 0, kNoFloors), 6);
}

TEST(StepLimit, OfZerosIsTheAbsoluteFloor) {
  EXPECT_EQ(step_limit(std::vector<double>(9, 0.0), 0.3, {0.1, 0.25}), 0.25);
}

TEST(StepLimit, IsNoNanForInfiniteValues) {
  const double infinite = INFINITY;
  EXPECT_FALSE(std::isnan(step_limit(std::vector<double>(9, 1e308), 9, {0.1, 0})));
  EXPECT_FALSE(infinite > step_limit(std::vector<double>(9, infinite), 0, {0.1, 0}));
}

TEST(Creep, SeesASlowRiseThroughNoise) {
  Random random(2);
  std::vector<double> values;
  for (int night = 0; night < 30; ++night)
    values.push_back((1 + 0.02 * night) * (1 + 0.03 * random.normal()));
  const Creep creep = creep_of(values, {0.1, 0});
  EXPECT_TRUE(creep.creeps);
  EXPECT_NEAR(creep.rise, 0.58, 0.15);
  EXPECT_FALSE(creep_of(values, {0.8, 0}).creeps) << "the floor is above the rise";
  std::vector<double> falling(values.rbegin(), values.rend());
  EXPECT_FALSE(creep_of(falling, {0.1, 0}).creeps);
}

TEST(Creep, NeedsMoreThanAFewNightsAndMoreThanTies) {
  EXPECT_FALSE(creep_of({1, 2, 3, 4, 5, 6, 7, 8}, kNoFloors).creeps);
  EXPECT_FALSE(creep_of(std::vector<double>(40, 1.0), kNoFloors).creeps);
  EXPECT_FALSE(creep_of({}, kNoFloors).creeps);
}

}  // namespace
}  // namespace parity::history
