// The cheap questions before sorting must not change an answer: many made tensors against the rule
// worked out by sorting alone.
#include "compare/permutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

using tensor::DType;
using Values = std::vector<float>;

bool sorted_rule(const std::vector<Pair>& pairs, DType dtype) {
  std::vector<double> references;
  std::vector<double> candidates;
  double moved = 0;
  double size = 0;
  for (const Pair& pair : pairs) {
    if (pair.kind != PairKind::finite) return false;
    references.push_back(pair.reference);
    candidates.push_back(pair.candidate);
    moved += std::abs(pair.difference);
    size += std::abs(pair.reference);
  }
  std::sort(references.begin(), references.end());
  std::sort(candidates.begin(), candidates.end());
  const bool wide = dtype == DType::float32 || dtype == DType::float64;
  const double tolerance = wide ? 4 * tensor::unit_roundoff(dtype) : 0;
  if (moved == 0 || moved < 64 * tolerance * size) return false;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double scale = std::max(std::abs(references[i]), std::abs(candidates[i]));
    if (!(std::abs(references[i] - candidates[i]) <= tolerance * scale)) return false;
  }
  return true;
}

tensor::HostTensor stored(DType dtype, const Values& values) {
  const auto as = [&]<typename T>(const auto& convert) {
    std::vector<T> elements;
    std::transform(values.begin(), values.end(), std::back_inserter(elements), convert);
    return made_vector(dtype, elements);
  };
  switch (dtype) {
    case DType::float64:
      return as.template operator()<double>([](float value) { return double{value}; });
    case DType::bfloat16:
      return as.template operator()<std::uint16_t>([](float value) {
        return std::isnan(value) ? std::uint16_t{0x7FC0} : to_bfloat16(value);
      });
    case DType::int32:
      return as.template operator()<std::int32_t>([](float value) {
        return std::isfinite(value) ? static_cast<std::int32_t>(value * 8) : 0;
      });
    default:
      return made_vector(dtype, values);
  }
}

struct Count {
  int yes = 0;
  int no = 0;
};

/// Holds both functions against the rule.
void expect_the_rule(DType dtype, const Values& reference, const Values& candidate, Count& count) {
  const tensor::HostTensor left = stored(dtype, reference);
  const tensor::HostTensor right = stored(dtype, candidate);
  const auto source = make_pair_source(Reference{left.view()}, Candidate{right.view()});
  std::vector<Pair> pairs(source->elements());
  source->read(0, pairs);
  const bool expected = sorted_rule(pairs, dtype);
  ++(expected ? count.yes : count.no);
  ASSERT_EQ(is_permutation(pairs, dtype), expected) << tensor::name(dtype) << pairs.size();
  ASSERT_EQ(is_permutation(*source), expected) << tensor::name(dtype) << pairs.size();
}

/// Few different values, so that equal ones meet, zeros of both signs among them, or normal ones.
Values made_values(std::mt19937& random, std::size_t count) {
  static constexpr std::array<float, 7> kFew = {0.0F, -0.0F, 1.0F, -1.0F, 1e-40F, -2.5F, 3e38F};
  std::normal_distribution<float> normal;
  const bool few = random() % 3 == 0;
  Values values(count);
  for (float& value : values) value = few ? kFew.at(random() % kFew.size()) : normal(random);
  return values;
}

float with_other_sign(float value) { return value == 0 ? -value : value; }

using Change = void (*)(Values&, std::mt19937&);

/// What may befall one side, besides another order.
constexpr std::array<Change, 9> kChanges = {
    [](Values&, std::mt19937&) {},
    [](Values& values, std::mt19937&) {
      for (float& value : values) value = with_other_sign(value);
    },
    [](Values& values, std::mt19937& random) {
      float& value = values[random() % values.size()];
      value = std::nextafter(value, 1.0F);
    },
    [](Values& values, std::mt19937& random) {
      values[random() % values.size()] = values[random() % values.size()];
    },
    [](Values& values, std::mt19937& random) {
      values[random() % values.size()] = std::numeric_limits<float>::quiet_NaN();
    },
    [](Values& values, std::mt19937& random) {
      values[random() % values.size()] = std::numeric_limits<float>::infinity();
    },
    [](Values& values, std::mt19937& random) { values[random() % values.size()] = 0.0F; },
    [](Values& values, std::mt19937& random) {
      std::uniform_real_distribution<float> uniform(-1e-7F, 1e-7F);
      for (float& value : values) value *= 1 + uniform(random);
    },
    [](Values& values, std::mt19937& random) {
      std::uniform_real_distribution<float> uniform(-1e-3F, 1e-3F);
      for (float& value : values) value *= 1 + uniform(random);
    },
};

TEST(Permutation, IsWhatSortingBothSidesAloneWouldSay) {
  std::mt19937 random(7);
  for (const DType dtype : {DType::bfloat16, DType::float32, DType::float64, DType::int32}) {
    Count count;
    for (int round = 0; round < 3000; ++round) {
      const std::size_t size = round % 50 == 0 ? 1000 + random() % 3000 : 1 + random() % 40;
      const Values reference = made_values(random, size);
      Values candidate = reference;
      if (random() % 4 != 0) std::shuffle(candidate.begin(), candidate.end(), random);
      kChanges.at(random() % kChanges.size())(candidate, random);
      ASSERT_NO_FATAL_FAILURE(expect_the_rule(dtype, reference, candidate, count));
    }
    EXPECT_GT(count.yes, 500) << tensor::name(dtype);
    EXPECT_GT(count.no, 500) << tensor::name(dtype);
  }
}

TEST(Permutation, TakesZerosOfBothSignsForOneValue) {
  Count count;
  expect_the_rule(DType::bfloat16, {0.0F, 1.0F, -0.0F, 2.0F}, {1.0F, 0.0F, 2.0F, 0.0F}, count);
  EXPECT_EQ(count.yes, 1);
}

// Same smallest, largest and median value and the same sum: only hashes or the order tell.
TEST(Permutation, SeesOtherValuesBetweenTheSameExtremes) {
  Count count;
  const Values reference = {-4.0F, -2.0F, -1.0F, 0.0F, 1.0F, 2.0F, 4.0F};
  const Values candidate = {4.0F, 3.0F, 1.0F, 0.0F, -1.0F, -3.0F, -4.0F};
  for (const DType dtype : {DType::bfloat16, DType::float32, DType::float64, DType::int32})
    expect_the_rule(dtype, reference, candidate, count);
  EXPECT_EQ(count.no, 4);
}

TEST(Permutation, OfNothingIsNone) {
  EXPECT_FALSE(is_permutation(std::span<const Pair>(), DType::bfloat16));
  EXPECT_FALSE(is_permutation(std::span<const Pair>(), DType::float32));
}

}  // namespace
}  // namespace parity::compare
