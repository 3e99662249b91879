#include "history/rhythm.h"

#include <gtest/gtest.h>

namespace parity::history {
namespace {

constexpr std::int64_t kDay = 86'400;

std::vector<std::int64_t> on_days(const std::vector<int>& days) {
  std::vector<std::int64_t> times;
  for (const int day : days) times.push_back(day * kDay);
  return times;
}

/// Days of the gaps, in order.
std::vector<std::int64_t> missing(const Rhythm& rhythm) {
  std::vector<std::int64_t> days;
  for (const Gap& gap : rhythm.gaps) {
    for (const std::int64_t time : gap.times_s) days.push_back(time / kDay);
  }
  return days;
}

TEST(Rhythm, NamesTheNightsThatAreMissing) {
  const Rhythm rhythm = rhythm_of(on_days({0, 1, 2, 4, 5, 8, 9, 10, 11}), 0, 11 * kDay);
  ASSERT_TRUE(rhythm.period_s);
  EXPECT_EQ(*rhythm.period_s, kDay);
  EXPECT_EQ(missing(rhythm), (std::vector<std::int64_t>{3, 6, 7}));
  EXPECT_EQ(rhythm.gaps[0].after, 2U);
}

TEST(Rhythm, MissesNightsBehindTheLastOneOnceTheyAreLate) {
  const auto times = on_days({0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(missing(rhythm_of(times, 0, 6 * kDay)).empty());
  EXPECT_EQ(missing(rhythm_of(times, 0, 6 * kDay + kDay / 2)), (std::vector<std::int64_t>{6}));
  EXPECT_EQ(missing(rhythm_of(times, 0, 8 * kDay)), (std::vector<std::int64_t>{6, 7}));
}

TEST(Rhythm, ToleratesAnHourMoreOrLess) {
  std::vector<std::int64_t> times;
  for (int day = 0; day < 20; ++day) times.push_back(day * kDay + (day % 3) * 3600);
  EXPECT_TRUE(missing(rhythm_of(times, 0, times.back())).empty());
}

TEST(Rhythm, FollowsAnyPeriod) {
  const Rhythm rhythm = rhythm_of(on_days({0, 7, 14, 21, 35, 42}), 0, 42 * kDay);
  EXPECT_EQ(*rhythm.period_s, 7 * kDay);
  EXPECT_EQ(missing(rhythm), (std::vector<std::int64_t>{28}));
}

TEST(Rhythm, SaysNothingWithoutOne) {
  EXPECT_FALSE(rhythm_of({}, 0, 0).period_s);
  EXPECT_FALSE(rhythm_of(on_days({0, 1, 2, 3}), 0, 90 * kDay).period_s);          // too few
  EXPECT_FALSE(rhythm_of(on_days({0, 1, 5, 6, 14, 33}), 0, 90 * kDay).period_s);  // irregular
}

TEST(Rhythm, TakesARetryForTheSameNight) {
  auto times = on_days({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  times.insert(times.begin() + 5, 4 * kDay + 1800);
  EXPECT_TRUE(missing(rhythm_of(times, 0, 9 * kDay)).empty());
}

TEST(Rhythm, MissesNothingWhereNightsWereTakenOut) {
  const auto times = on_days({0, 31, 60, 61, 62, 63, 64, 65, 66, 67, 69});
  EXPECT_EQ(missing(rhythm_of(times, 60 * kDay, 69 * kDay)), (std::vector<std::int64_t>{68}));
}

}  // namespace
}  // namespace parity::history
