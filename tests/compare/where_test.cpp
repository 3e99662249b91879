// The element bound, and the range of each axis that holds the excess.
#include "compare/where.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> normal_values(std::size_t count, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

CompareOptions bound(double relative, double of_rms) {
  CompareOptions options;
  options.element_bound = {relative, of_rms};
  return options;
}

TEST(ElementBound, IsInclusiveAndCountsNanAsOutside) {
  const AbsoluteBound limit{0.5, 1};
  const auto pair = [](double reference, double candidate) {
    Pair made;
    made.reference = reference;
    made.candidate = candidate;
    made.difference = candidate - reference;
    return made;
  };
  EXPECT_FALSE(is_outside(pair(2, 4), limit));
  EXPECT_TRUE(is_outside(pair(2, 4.0000001), limit));
  Pair nan = pair(2, std::numeric_limits<double>::quiet_NaN());
  nan.kind = PairKind::nan_candidate_only;
  EXPECT_TRUE(is_outside(nan, limit));
  nan.kind = PairKind::both_nan;
  EXPECT_FALSE(is_outside(nan, limit));
  EXPECT_TRUE(is_outside(pair(2, std::numeric_limits<double>::quiet_NaN()), limit))
      << "an unclassified NaN is never inside";
}

TEST(Where, CountsOutsideElementsOfALooseBoundOnly) {
  const auto reference = floats({4}, {10, 10, 10, 10});
  const auto candidate = floats({4}, {10, 10.5, 11, 12});
  EXPECT_EQ(compare(reference, candidate, bound(0.1, 0)).where.outside, 1U);
  EXPECT_EQ(compare(reference, candidate, bound(0, 0.1)).where.outside, 1U) << "rms is 10";
  EXPECT_EQ(compare(reference, candidate, bound(0, 0.2)).where.outside, 0U);
  EXPECT_EQ(compare(reference, candidate, bound(0, 0)).where.outside, 3U);
  EXPECT_EQ(compare(reference, candidate, bound(0, 0)).where.share, 0.75);
}

/// Adds 1 to the elements of a [rows, columns] tensor that `faulty` names.
template <typename Faulty>
TensorComparison with_fault(std::int64_t rows, std::int64_t columns, Faulty&& faulty) {
  const std::vector<float> reference = normal_values(static_cast<std::size_t>(rows * columns), 1);
  std::vector<float> candidate = reference;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      if (faulty(row, column))
        candidate[static_cast<std::size_t>(row * columns + column)] += row % 2 == 0 ? 1.0F : -1.5F;
    }
  }
  return compare(floats({rows, columns}, reference), floats({rows, columns}, candidate),
                 bound(1e-5, 1e-5));
}

void expect_only_axis(const Where& where, std::size_t axis, std::int64_t first, std::int64_t last) {
  ASSERT_EQ(where.axes.size(), 1U);
  EXPECT_EQ(where.axes[0].axis, axis);
  EXPECT_EQ(where.axes[0].first, first);
  EXPECT_EQ(where.axes[0].last, last);
  EXPECT_GE(where.axes[0].share, 0.95);
}

// B25, B26: right up to a position, wrong from there on.
TEST(Where, NamesThePositionFromWhichAllIsWrong) {
  const auto facts = with_fault(128, 64, [](auto row, auto) { return row >= 16; });
  expect_only_axis(facts.where, 0, 16, 127);
  EXPECT_EQ(facts.where.first, (std::vector<std::int64_t>{16, 0}));
  EXPECT_EQ(facts.where.axes[0].size, 128);
  EXPECT_EQ(facts.where.share, 112.0 / 128);
}

TEST(Where, NamesTheOnlyRightPositionByItsComplement) {
  expect_only_axis(with_fault(128, 64, [](auto row, auto) { return row >= 1; }).where, 0, 1, 127);
}

// B40: one channel, or the second group of channels.
TEST(Where, NamesOneChannelAndARangeOfChannels) {
  expect_only_axis(with_fault(64, 128, [](auto, auto column) { return column == 64; }).where, 1, 64,
                   64);
  expect_only_axis(
      with_fault(64, 128, [](auto, auto column) { return column >= 32 && column < 64; }).where, 1,
      32, 63);
}

TEST(Where, SaysNothingAboutAxesWhereTheErrorIsEverywhere) {
  EXPECT_TRUE(with_fault(128, 64, [](auto, auto) { return true; }).where.axes.empty());
}

TEST(Where, CutsStrayElementsOffARangeThatHoldsNearlyAll) {
  const auto facts = with_fault(
      128, 64, [](auto row, auto column) { return row >= 100 || (row == 3 && column == 7); });
  expect_only_axis(facts.where, 0, 100, 127);
  EXPECT_EQ(facts.where.first, (std::vector<std::int64_t>{3, 7}));
}

TEST(Where, NamesEveryAxisOfASmallBlock) {
  const auto facts =
      with_fault(64, 64, [](auto row, auto column) { return row < 8 && column > 59; });
  ASSERT_EQ(facts.where.axes.size(), 2U);
  EXPECT_EQ(facts.where.axes[0].last, 7);
  EXPECT_EQ(facts.where.axes[1].first, 60);
}

TEST(Where, CountsANanAsMuchAsTheLargestError) {
  std::vector<float> reference = normal_values(6400, 2);
  std::vector<float> candidate = reference;
  for (std::size_t i = 0; i < 64; ++i) candidate[50 * 64 + i] = kNan;
  candidate[5] += 0.5F;
  const auto facts =
      compare(floats({100, 64}, reference), floats({100, 64}, candidate), bound(1e-5, 1e-5));
  expect_only_axis(facts.where, 0, 50, 50);
  EXPECT_EQ(facts.where.outside, 65U);
}

TEST(Where, FindsIndicesOnAxesLongerThanItsBins) {
  std::vector<float> reference(300001, 1.0F);
  std::vector<float> candidate = reference;
  for (std::size_t i = 123457; i <= 123500; ++i) candidate[i] = 2;
  const auto facts =
      compare(floats({300001}, reference), floats({300001}, candidate), bound(1e-5, 0));
  expect_only_axis(facts.where, 0, 123457, 123500);
}

/// One element at a time is put outside in a block of inside ones, equal and unequal, for every
/// dtype with a quick look-around.
TEST(Where, OverlooksNoElementInAnyDTypeAndOnAnySimdTarget) {
  const auto expect_found = [](tensor::DType dtype, auto one, auto more, auto nan) {
    using Bits = decltype(one);
    for (const Bits fault : {more, nan}) {
      for (const std::size_t at :
           {std::size_t{0}, std::size_t{255}, std::size_t{700}, std::size_t{1026}}) {
        const std::vector<Bits> reference(1027, one);
        std::vector<Bits> candidate = reference;
        candidate[at] = fault;
        for (const std::size_t unequal : {at, (at + 300) % 1027}) {
          // Next to `one` in the order of every dtype here but bool, whose bytes are both true.
          candidate[unequal] = unequal == at ? fault : static_cast<Bits>(one + 1);
          const Where where =
              compare(made_vector(dtype, reference), made_vector(dtype, candidate), bound(0, 0.5))
                  .where;
          EXPECT_EQ(where.outside, 1U) << tensor::name(dtype) << " at " << at;
          EXPECT_EQ(where.first, std::vector<std::int64_t>{static_cast<std::int64_t>(at)});
        }
      }
    }
  };
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    using tensor::DType;
    expect_found(DType::float32, 0x3F800000U, 0x40000000U, 0x7FC00000U);
    expect_found(DType::float64, std::uint64_t{0x3FF} << 52U, std::uint64_t{0x400} << 52U,
                 std::uint64_t{0x7FF8} << 48U);
    expect_found(DType::bfloat16, std::uint16_t{0x3F80}, std::uint16_t{0x4000},
                 std::uint16_t{0x7FC0});
    expect_found(DType::float16, std::uint16_t{0x3C00}, std::uint16_t{0x4000},
                 std::uint16_t{0x7C01});
    expect_found(DType::float8_e4m3fn, std::uint8_t{0x38}, std::uint8_t{0x40}, std::uint8_t{0xFF});
    expect_found(DType::float8_e4m3fnuz, std::uint8_t{0x38}, std::uint8_t{0x40},
                 std::uint8_t{0x80});
    expect_found(DType::float8_e5m2, std::uint8_t{0x38}, std::uint8_t{0x40}, std::uint8_t{0x7C});
    expect_found(DType::float8_e5m2fnuz, std::uint8_t{0x38}, std::uint8_t{0x40},
                 std::uint8_t{0x80});
    expect_found(DType::int8, std::int8_t{10}, std::int8_t{16}, std::int8_t{-1});
    expect_found(DType::uint8, std::uint8_t{200}, std::uint8_t{99}, std::uint8_t{0});
    expect_found(DType::boolean, std::uint8_t{1}, std::uint8_t{0}, std::uint8_t{0});
    expect_found(DType::int16, std::int16_t{10}, std::int16_t{16}, std::int16_t{-1});
    expect_found(DType::uint16, std::uint16_t{50000}, std::uint16_t{24999}, std::uint16_t{0});
    expect_found(DType::int32, std::int32_t{10}, std::int32_t{16}, std::int32_t{-1});
    expect_found(DType::uint32, 4000000000U, 1999999999U, 0U);
    expect_found(DType::int64, std::int64_t{10}, std::int64_t{16},
                 std::numeric_limits<std::int64_t>::min());
    expect_found(DType::uint64, ~std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{0});
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Where, LooksAtNoBlockThatIsTheSameOnBothSides) {
  const std::vector<float> values(256, kNan);
  const auto tensor = floats({256}, values);
  const auto source = make_pair_source(Reference{tensor.view()}, Candidate{tensor.view()});
  EXPECT_TRUE(source->all_inside(0, 256, {0, 0}));
  EXPECT_FALSE(source->all_inside(0, 256, {0, -1})) << "equal pairs are outside such a bound";
  EXPECT_FALSE(source->all_inside(0, 256, {0, std::numeric_limits<double>::quiet_NaN()}));
}

TEST(Where, ListsNothingForAnAxisOfSizeOne) {
  const auto facts =
      compare(floats({1, 4}, {1, 2, 3, 4}), floats({1, 4}, {1, 2, 3, 9}), bound(0, 0));
  expect_only_axis(facts.where, 1, 3, 3);
}

}  // namespace
}  // namespace parity::compare
