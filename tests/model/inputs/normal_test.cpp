// Normal numbers: the same bits everywhere, within their stated error, and normally distributed.
#include "model/inputs/normal.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "model/inputs/philox.h"

namespace parity::model {
namespace {

std::string hex(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%a", value);
  return text.data();
}

TEST(Normal, HasTheSameBitsOnEveryMachine) {
  struct Row {
    std::uint64_t word;
    double value;
  };
  const std::array<Row, 14> rows = {{
      {0x1fb03c4297b356d9, -0x1.28021af842964p+0},
      {0x998b461029a796e8, 0x1.02d91b241d4dp-2},
      {0x75ba33d8965f7ece, -0x1.9cb146466e097p-4},
      {0x85aeabe4124039f2, 0x1.c8068663c615fp-5},
      {0xeaff12705f760812, 0x1.6435ad1e1c704p+0},
      {0x5800daf54d0c13f6, -0x1.9bde248ffedc1p-2},
      {0x0000000000000000, -0x1.06b48528cea51p+3},
      {0xffffffffffffffff, 0x1.06b48528cea51p+3},
      {0x8000000000000000, 0x1.40d931ff62707p-52},
      {0x7fffffffffffffff, -0x1.40d931ff62707p-52},
      {0x0000010000000000, -0x1.52dc6e853f1cap+2},
      {0x0010000000000000, -0x1.be596d62758c1p+1},
      {0x1000000000000000, -0x1.88bc1fbe1dab9p+0},
      {0xf000000000000000, 0x1.88bc1fbe1dac1p+0},
  }};
  for (const Row& row : rows) {
    EXPECT_EQ(hex(normal_from_word(row.word)), hex(row.value)) << std::hex << row.word;
  }
}

TEST(Normal, LogarithmStaysWithinItsError) {
  const PhiloxWords words(11, 0);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double value =
        std::ldexp(static_cast<double>((words.word(i) >> 11U) + 1), -54 - static_cast<int>(i % 60));
    const double reference = std::log(value);
    // Twice the stated error: the library's own logarithm may be half an ulp off.
    EXPECT_LE(std::abs(portable_log(value) - reference), 8e-16 * std::abs(reference)) << hex(value);
  }
}

TEST(Normal, InvertsTheDistributionFunction) {
  const PhiloxWords words(12, 0);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // Every other one far in a tail.
    const std::uint64_t word = i % 2 == 0 ? words.word(i) : words.word(i) >> (i % 50);
    const double p = (static_cast<double>(word >> 12U) + 0.5) * 0x1p-52;
    const double x = normal_from_word(word);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // The slope of the quantile magnifies its error by about x^2 + 1 in the tail.
    EXPECT_LE(std::abs(back - p), 4e-15 * (x * x + 1) * p) << std::hex << word;
  }
}

TEST(Normal, HasTheMomentsOfTheStandardNormalDistribution) {
  constexpr int kCount = 200000;
  const PhiloxWords words(13, 0);
  std::array<double, 5> sums{};
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = normal_from_word(words.word(i));
    for (int power = 1; power <= 4; ++power) {
      sums.at(static_cast<std::size_t>(power)) += std::pow(x, power);
    }
  }
  // Five standard errors of each: sqrt(var(x^k) / n) with variances 1, 2, 15 and 96.
  const double n = kCount;
  EXPECT_NEAR(sums[1] / n, 0.0, 5 * std::sqrt(1 / n));
  EXPECT_NEAR(sums[2] / n, 1.0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(sums[3] / n, 0.0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(sums[4] / n, 3.0, 5 * std::sqrt(96 / n));
}

}  // namespace
}  // namespace parity::model
