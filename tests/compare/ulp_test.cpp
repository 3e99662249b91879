// Known distances, and oracles that step through the values one at a time or count in 128-bit
// integers.
#include "compare/ulp.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/awkward_values.h"

namespace parity::compare {
namespace {

template <typename T>
std::optional<std::uint64_t> distance(T reference, T candidate) {
  return ulp_distance(Reference<T>{reference}, Candidate<T>{candidate});
}

constexpr float kFloatMin = std::numeric_limits<float>::denorm_min();
constexpr float kFloatMax = std::numeric_limits<float>::max();
constexpr double kDoubleMax = std::numeric_limits<double>::max();

TEST(UlpDistance, CountsKnownFloatPairs) {
  struct Row {
    float reference;
    float candidate;
    std::uint64_t ulp;
  };
  for (const Row& row :
       {Row{1.0F, 1.0F, 0}, Row{0.0F, -0.0F, 0}, Row{1.0F, 0x1.000002p0F, 1},
        Row{1.0F, 0x1.fffffep-1F, 1}, Row{-kFloatMin, kFloatMin, 2}, Row{0.0F, kFloatMin, 1},
        Row{-0.0F, kFloatMin, 1}, Row{1.0F, 2.0F, 1U << 23U}, Row{1.0F, -1.0F, 2U * 0x3F800000U},
        Row{-kFloatMax, kFloatMax, 2ULL * 0x7F7FFFFFU}, Row{0x1p-126F, 0x1.fffffcp-127F, 1}}) {
    EXPECT_EQ(distance(row.reference, row.candidate), row.ulp)
        << fmt::format("{:a} {:a}", row.reference, row.candidate);
    EXPECT_EQ(distance(row.candidate, row.reference), row.ulp)
        << fmt::format("{:a} {:a}", row.candidate, row.reference);
  }
}

TEST(UlpDistance, CountsFromMostNegativeToMostPositiveDoubleWithoutOverflow) {
  EXPECT_EQ(distance(-kDoubleMax, kDoubleMax), 0xFFDFFFFFFFFFFFFEU);
  EXPECT_EQ(distance(kDoubleMax, -kDoubleMax), 0xFFDFFFFFFFFFFFFEU);
}

TEST(UlpDistance, RefusesPairsThatAreNotFinite) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(distance(kNan, 1.0F), std::nullopt);
  EXPECT_EQ(distance(1.0F, kInf), std::nullopt);
  EXPECT_EQ(distance(kInf, kInf), std::nullopt);
  EXPECT_EQ(distance(kNan, kNan), std::nullopt);
  EXPECT_EQ(distance(1.0, std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

TEST(UlpDistance, CountsIntegersUpToTheWholeRange) {
  EXPECT_EQ(distance(std::int64_t{0}, std::int64_t{-3}), 3U);
  EXPECT_EQ(
      distance(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()),
      ~std::uint64_t{0});
  EXPECT_EQ(
      distance(std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max()),
      255U);
  EXPECT_EQ(distance(std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(distance(false, true), 1U);
}

TEST(UlpDistance, TreatsTheSpecialsOfEachFloat8KindAsItsFormatSays) {
  const auto of = []<typename F>(F, int reference, int candidate) {
    return ulp_distance(Reference<BitPattern<F>>{{static_cast<std::uint8_t>(reference)}},
                        Candidate<BitPattern<F>>{{static_cast<std::uint8_t>(candidate)}});
  };
  // e4m3fn: no Inf; 0x7F and 0xFF are NaN, 0x7E is 448 and 0x80 is -0.
  EXPECT_EQ(of(Float8E4M3FnFormat{}, 0x7E, 0xFE), 2U * 0x7EU);
  EXPECT_EQ(of(Float8E4M3FnFormat{}, 0x7F, 0x00), std::nullopt);
  EXPECT_EQ(of(Float8E4M3FnFormat{}, 0x80, 0x00), 0U);
  EXPECT_EQ(Float8E4M3FnFormat::to_double(0x7E), 448);
  // e4m3fnuz: NaN is the -0 pattern, 0x7F is 240.
  EXPECT_EQ(of(Float8E4M3FnuzFormat{}, 0x80, 0x00), std::nullopt);
  EXPECT_EQ(of(Float8E4M3FnuzFormat{}, 0x7F, 0x7E), 1U);
  EXPECT_EQ(of(Float8E4M3FnuzFormat{}, 0x01, 0x81), 2U);
  EXPECT_EQ(Float8E4M3FnuzFormat::to_double(0x7F), 240);
  // e5m2: 0x7C is Inf, 0x7B is 57344; fnuz has neither Inf nor -0.
  EXPECT_EQ(of(Float8E5M2Format{}, 0x7C, 0x7B), std::nullopt);
  EXPECT_EQ(Float8E5M2Format::to_double(0x7B), 57344);
  EXPECT_EQ(of(Float8E5M2FnuzFormat{}, 0x80, 0x01), std::nullopt);
  EXPECT_EQ(Float8E5M2FnuzFormat::to_double(0x7F), 57344);
}

template <typename T>
void expect_steps_of_nextafter(T from) {
  T at = from;
  for (std::uint64_t steps = 0; steps < 200; ++steps) {
    ASSERT_EQ(distance(from, at), steps) << fmt::format("{:a} {:a}", from, at);
    const T next = std::nextafter(at, std::numeric_limits<T>::infinity());
    if (std::isinf(next)) return;
    // Stepping up from -0 skips +0: both are one place.
    at = next;
  }
}

TEST(UlpDistance, IsTheNumberOfNextafterSteps) {
  for (const auto bits : awkward_patterns<Float32Format>()) {
    if (Float32Format::is_finite(bits)) expect_steps_of_nextafter(std::bit_cast<float>(bits));
  }
  for (const auto bits : awkward_patterns<Float64Format>()) {
    if (Float64Format::is_finite(bits)) expect_steps_of_nextafter(std::bit_cast<double>(bits));
  }
  expect_steps_of_nextafter(-100 * kFloatMin);
  expect_steps_of_nextafter(-100 * std::numeric_limits<double>::denorm_min());
}

/// Place among the values of F, worked out from the value with frexp and 128-bit integers.
template <typename F, typename T>
__int128 place(T value) {
  if (value == 0) return 0;
  int exponent = 0;
  const T fraction = std::frexp(std::fabs(value), &exponent);
  const int lowest = 2 - F::kBias;  // frexp's exponent of the smallest normal number
  const int quantum = std::max(exponent, lowest) - F::kMantissaBits - 1;
  const auto significand = static_cast<__int128>(std::ldexp(fraction, exponent - quantum));
  const auto octaves = static_cast<__int128>(std::max(exponent, lowest) - lowest)
                       << F::kMantissaBits;
  return value < 0 ? -(octaves + significand) : octaves + significand;
}

template <typename F, typename T>
void expect_place_difference(typename F::Bits reference, typename F::Bits candidate) {
  if (!F::is_finite(reference) || !F::is_finite(candidate)) return;
  const T r = std::bit_cast<T>(reference);
  const T c = std::bit_cast<T>(candidate);
  const __int128 apart = place<F>(c) - place<F>(r);
  const auto expected = static_cast<std::uint64_t>(apart < 0 ? -apart : apart);
  ASSERT_EQ(distance(r, c), expected) << fmt::format("{:a} {:a}", r, c);
}

template <typename F, typename T>
void expect_place_difference_over_samples() {
  const auto awkward = awkward_patterns<F>();
  for (const auto r : awkward) {
    for (const auto c : awkward) expect_place_difference<F, T>(r, c);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    const auto r = static_cast<typename F::Bits>(random());
    expect_place_difference<F, T>(r, static_cast<typename F::Bits>(random()));
    expect_place_difference<F, T>(r, static_cast<typename F::Bits>(r + random() % 1000));
  }
}

TEST(UlpDistance, IsTheDifferenceOfPlacesInWideIntegers) {
  expect_place_difference_over_samples<Float32Format, float>();
  expect_place_difference_over_samples<Float64Format, double>();
}

}  // namespace
}  // namespace parity::compare
