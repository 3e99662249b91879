// Every hint on a fault that deserves it, and none on ordinary rounding noise.
#include "compare/hints.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr std::int64_t kRows = 48;
constexpr std::int64_t kColumns = 96;
constexpr std::size_t kCount = static_cast<std::size_t>(kRows * kColumns);

std::vector<float> normal_values(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(kCount);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<Hint> hints_of(const std::vector<float>& reference, const std::vector<float>& candidate,
                           double limit = 1e-6) {
  CompareOptions options;
  options.element_bound = {limit, limit};
  return compare(floats({kRows, kColumns}, reference), floats({kRows, kColumns}, candidate),
                 options)
      .hints;
}

std::string names_of(const std::vector<Hint>& hints) {
  std::string names;
  for (const Hint& hint : hints) names += (names.empty() ? "" : " ") + hint.pattern;
  return names;
}

/// A rounding-like error on top of every value.
void add_noise(std::vector<float>& values, float size) {
  std::mt19937 random(99);
  std::uniform_real_distribution<float> uniform(-size, size);
  for (float& value : values) value *= 1 + uniform(random);
}

// B03: exactly half of the mass is gone.
TEST(Hints, NameACommonFactorAlsoUnderNoise) {
  const auto reference = normal_values(1);
  for (const float factor : {0.5F, 6.4F, -1.0F, 0.97F}) {
    std::vector<float> candidate = reference;
    for (float& value : candidate) value *= factor;
    EXPECT_EQ(names_of(hints_of(reference, candidate)), "scaled") << factor;
    add_noise(candidate, 1e-5F);
    EXPECT_EQ(names_of(hints_of(reference, candidate)), "scaled") << factor;
  }
}

TEST(Hints, StateTheFactorAndItsShare) {
  const auto reference = normal_values(1);
  std::vector<float> candidate = reference;
  for (float& value : candidate) value *= 0.5F;
  const auto hints = hints_of(reference, candidate);
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_EQ(hints[0].evidence, "candidate = 0.5 x reference in 100 % of 4608 elements outside");
}

TEST(Hints, NameAFactorThatOnlySomeChannelsHave) {
  const auto reference = normal_values(1);
  std::vector<float> candidate = reference;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i % 96 >= 48) candidate[i] *= 2;
  }
  EXPECT_EQ(names_of(hints_of(reference, candidate)), "scaled");
}

// B13: logits with a constant per row.
TEST(Hints, NameAnOffsetPerRow) {
  const auto reference = normal_values(2);
  std::vector<float> candidate = reference;
  for (std::size_t i = 0; i < kCount; ++i)
    candidate[i] += 0.1F * static_cast<float>(1 + i / 96 % 5);
  EXPECT_EQ(names_of(hints_of(reference, candidate)), "row_offset");
}

TEST(Hints, NameAShiftByOneAlongEitherAxis) {
  const auto reference = normal_values(3);
  const auto shifted = [&](std::ptrdiff_t by) {
    std::vector<float> candidate = reference;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto from = static_cast<std::ptrdiff_t>(i) - by;
      candidate[i] = from < 0 || from >= static_cast<std::ptrdiff_t>(kCount)
                         ? 0
                         : reference[static_cast<std::size_t>(from)];
    }
    return candidate;
  };
  for (const std::ptrdiff_t by : {1, -1, 96, -96}) {
    const auto hints = hints_of(reference, shifted(by));
    EXPECT_EQ(names_of(hints), "shifted") << by;
  }
  EXPECT_NE(hints_of(reference, shifted(1))[0].evidence.find("reference[i-1] along axis 1"),
            std::string::npos);
  EXPECT_NE(hints_of(reference, shifted(-96))[0].evidence.find("reference[i+1] along axis 0"),
            std::string::npos);
}

// B33: the values are all there, in another order.
TEST(Hints, NameAPermutationWithinRowsAndOfRows) {
  const auto reference = normal_values(4);
  std::vector<float> within = reference;
  for (std::size_t i = 0; i < kCount; ++i)
    within[i] = reference[i / 96 * 96 + (i % 96 % 48) * 2 + i % 96 / 48];
  EXPECT_EQ(names_of(hints_of(reference, within)), "permuted");
  std::vector<float> across = reference;
  for (std::size_t i = 0; i < kCount; ++i) across[i] = reference[(i / 96 * 5 % 48) * 96 + i % 96];
  EXPECT_EQ(names_of(hints_of(reference, across)), "permuted");
}

TEST(Hints, NameZeroedElements) {
  const auto reference = normal_values(5);
  std::vector<float> candidate = reference;
  for (std::size_t i = 960; i < 1920; ++i) candidate[i] = 0;
  EXPECT_EQ(names_of(hints_of(reference, candidate)), "zeroed");
}

TEST(Hints, NameSaturationOnOneSideAndOnBoth) {
  const auto reference = normal_values(6);
  std::vector<float> upper = reference;
  for (float& value : upper) value = std::min(value, 1.25F);
  EXPECT_EQ(names_of(hints_of(reference, upper)), "clamped");
  std::vector<float> both = reference;
  for (float& value : both) value = std::clamp(value, -1.0F, 1.25F);
  const auto hints = hints_of(reference, both);
  ASSERT_EQ(names_of(hints), "clamped");
  EXPECT_NE(hints[0].evidence.find("within -1 .. 1.25"), std::string::npos) << hints[0].evidence;
}

// B38: scores that overflowed on one side alone.
TEST(Hints, NameSaturationWhereTheReferenceOverflowed) {
  std::vector<float> reference = normal_values(6);
  std::vector<float> candidate = reference;
  for (std::size_t i = 0; i < kCount; i += 50) {
    reference[i] = std::numeric_limits<float>::infinity();
    candidate[i] = 65504.0F;
  }
  EXPECT_EQ(names_of(hints_of(reference, candidate)), "clamped");
}

struct Noise {
  const char* name;
  std::function<float(float, std::mt19937&)> apply;
};

TEST(Hints, GiveNoneOnRoundingNoiseOfAnyKind) {
  const std::vector<Noise> noises = {
      {"one ulp up or down",
       [](float v, std::mt19937& r) { return std::nextafter(v, r() % 2 == 0 ? 1e9F : -1e9F); }},
      {"a few ulp",
       [](float v, std::mt19937& r) {
         return std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) +
                                     static_cast<std::uint32_t>(r() % 7));
       }},
      {"relative 1e-3",
       [](float v, std::mt19937& r) {
         return v * (1 + std::uniform_real_distribution<float>(-1e-3F, 1e-3F)(r));
       }},
      {"absolute 1e-2",
       [](float v, std::mt19937& r) { return v + std::normal_distribution<float>(0, 1e-2F)(r); }},
      {"absolute 0.3",
       [](float v, std::mt19937& r) { return v + std::normal_distribution<float>(0, 0.3F)(r); }},
      {"truncated mantissa",
       [](float v, std::mt19937&) {
         return std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) & 0xFFFFE000U);
       }},
      {"rounded to bfloat16",
       [](float v, std::mt19937&) {
         return std::bit_cast<float>(static_cast<std::uint32_t>(to_bfloat16(v)) << 16U);
       }},
      {"unrelated values",
       [](float, std::mt19937& r) { return std::normal_distribution<float>()(r); }},
      {"rare large errors",
       [](float v, std::mt19937& r) {
         return r() % 500 == 0 ? v + std::normal_distribution<float>()(r) : v;
       }},
  };
  for (const Noise& noise : noises) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const auto reference = normal_values(seed);
      std::vector<float> candidate = reference;
      std::mt19937 random(seed + 100);
      for (float& value : candidate) value = noise.apply(value, random);
      for (const double limit : {0.0, 1e-6}) {
        EXPECT_EQ(names_of(hints_of(reference, candidate, limit)), "")
            << noise.name << " seed " << seed;
      }
    }
  }
}

TEST(Hints, GiveNoneOnRoundingNoiseInBFloat16AndSmallIntegers) {
  std::mt19937 random(5);
  std::vector<std::uint16_t> reference;
  std::vector<std::uint16_t> candidate;
  std::vector<std::int32_t> whole_reference;
  std::vector<std::int32_t> whole_candidate;
  for (const float value : normal_values(8)) {
    reference.push_back(to_bfloat16(value));
    candidate.push_back(static_cast<std::uint16_t>(reference.back() + random() % 2));
    whole_reference.push_back(static_cast<std::int32_t>(random() % 4));
    whole_candidate.push_back(
        std::max(0, whole_reference.back() - static_cast<std::int32_t>(random() % 2)));
  }
  const auto bf16 = compare(made_tensor(DType::bfloat16, {kRows, kColumns}, reference),
                            made_tensor(DType::bfloat16, {kRows, kColumns}, candidate));
  EXPECT_GT(bf16.where.outside, 1000U);
  EXPECT_EQ(names_of(bf16.hints), "");
  const auto whole = compare(made_tensor(DType::int32, {kRows, kColumns}, whole_reference),
                             made_tensor(DType::int32, {kRows, kColumns}, whole_candidate));
  EXPECT_GT(whole.where.outside, 1000U);
  EXPECT_EQ(names_of(whole.hints), "");
}

TEST(Hints, GiveNoneForASingleElement) {
  EXPECT_TRUE(compare(floats({}, {2}), floats({}, {4})).hints.empty());
  EXPECT_TRUE(compare(floats({3}, {1, 2, 3}), floats({3}, {1, 2, 6})).hints.empty());
}

// B01: a convolution 6.4 times too large.
TEST(Hints, SurviveInfAndNanBesideThePattern) {
  const auto reference = normal_values(9);
  std::vector<float> candidate = reference;
  for (float& value : candidate) value *= 6.4F;
  candidate[17] = std::numeric_limits<float>::quiet_NaN();
  candidate[18] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(names_of(hints_of(reference, candidate)), "scaled");
}

}  // namespace
}  // namespace parity::compare
