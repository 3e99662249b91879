// Classes of pairs, the odd inputs that broke other comparators, and every dtype that is no
// everyday float.
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/made_tensor.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint64_t kinds_of(const ClassCounts& n) {
  return n.finite + n.both_nan + n.nan_reference_only + n.nan_candidate_only + n.inf_equal +
         n.inf_opposite + n.inf_reference_only + n.inf_candidate_only;
}

void expect_all_zero(const TensorComparison& facts) {
  EXPECT_EQ(facts.ulp.max, 0U);
  EXPECT_EQ(facts.ulp.quantiles.p999, 0);
  EXPECT_FALSE(facts.ulp.quantiles.approximate);
  EXPECT_EQ(facts.ulp.histogram.counts[0], facts.classes.finite);
  EXPECT_EQ(facts.relative.max, 0);
  EXPECT_EQ(facts.relative.quantiles.p999, 0);
  EXPECT_EQ(facts.relative.histogram.counts[0], facts.classes.finite);
  for (std::size_t bin = 1; bin < facts.relative.histogram.counts.size(); ++bin) {
    EXPECT_EQ(facts.relative.histogram.counts[bin], 0U) << bin;
  }
  EXPECT_EQ(facts.absolute.max, 0);
  EXPECT_EQ(facts.absolute.mean_signed, 0);
  EXPECT_EQ(facts.nrmse, 0);
  EXPECT_EQ(facts.cosine, 1);
  EXPECT_EQ(facts.exact_share, 1);
  EXPECT_EQ(facts.max_error_over_rms, 0);
  EXPECT_TRUE(facts.worst.empty());
  EXPECT_EQ(facts.where.outside, 0U);
  EXPECT_TRUE(facts.where.first.empty());
  EXPECT_TRUE(facts.hints.empty());
}

TEST(Classes, CountEveryKindOfPairOnceAndAddUp) {
  const std::vector<float> reference = {1, kNan, kNan, 1,     kInf,   kInf, kInf,
                                        1, 0,    0,    -0.0F, 1e-40F, 0,    2};
  const std::vector<float> candidate = {1,     kNan, 1,     kNan,  kInf, -kInf,   1,
                                        -kInf, 1,    -0.0F, -0.0F, 0,    -1e-40F, 3};
  const ClassCounts n = compare(floats({14}, reference), floats({14}, candidate)).classes;
  EXPECT_EQ(n.finite, 7U);
  EXPECT_EQ(n.both_nan, 1U);
  EXPECT_EQ(n.nan_reference_only, 1U);
  EXPECT_EQ(n.nan_candidate_only, 1U);
  EXPECT_EQ(n.inf_equal, 1U);
  EXPECT_EQ(n.inf_opposite, 1U);
  EXPECT_EQ(n.inf_reference_only, 1U);
  EXPECT_EQ(n.inf_candidate_only, 1U);
  EXPECT_EQ(n.zero_reference, 2U);
  EXPECT_EQ(n.zero_sign, 1U);
  EXPECT_EQ(n.flushed_to_zero, 2U);
  EXPECT_EQ(n.equal_bits, 4U);
  EXPECT_EQ(kinds_of(n), reference.size());
}

TEST(Classes, DoNotLookAtNanPayloads) {
  const std::vector<std::uint32_t> reference = {0x7FC00000U, 0x7FFFFFFFU, 0xFFC00001U};
  const std::vector<std::uint32_t> candidate = {0x7FFFFFFFU, 0xFFC00000U, 0x7F800001U};
  const auto facts =
      compare(made_vector(DType::float32, reference), made_vector(DType::float32, candidate));
  EXPECT_EQ(facts.classes.both_nan, 3U);
  EXPECT_EQ(facts.exact_share, 1);
  EXPECT_TRUE(facts.reference_all_nan);
  EXPECT_EQ(facts.where.outside, 0U);
}

// O02: NaN on both sides in the same and in different places.
TEST(OddInputs, NanInDifferentPlacesIsCountedPerSideAndListedFirst) {
  const auto facts = compare(floats({4}, {kNan, 1, kNan, 4}), floats({4}, {kNan, kNan, 3, 5}));
  EXPECT_EQ(facts.classes.both_nan, 1U);
  EXPECT_EQ(facts.classes.nan_candidate_only, 1U);
  EXPECT_EQ(facts.classes.nan_reference_only, 1U);
  EXPECT_EQ(facts.exact_share, 0.25);
  ASSERT_EQ(facts.worst.size(), 3U);
  EXPECT_EQ(facts.worst[0].index, std::vector<std::int64_t>{1});
  EXPECT_EQ(facts.worst[1].index, std::vector<std::int64_t>{2});
  EXPECT_EQ(facts.worst[2].index, std::vector<std::int64_t>{3});
  EXPECT_EQ(facts.where.outside, 3U);
  EXPECT_FALSE(facts.reference_all_nan);
}

// O01: 0/0 must not hide the largest relative error.
TEST(OddInputs, ZeroOverZeroIsZeroAndNotNan) {
  const auto facts = compare(floats({2}, {0, 1}), floats({2}, {0, 2}));
  EXPECT_EQ(facts.relative.max, 1);
  EXPECT_EQ(facts.relative.histogram.counts[0], 1U);
  const auto zeros = compare(floats({3}, {0, 0, 0}), floats({3}, {0, 0, 0}));
  EXPECT_EQ(zeros.cosine, 1);
  EXPECT_EQ(zeros.nrmse, 0);
}

// O04: statistics over finite pairs although others are not.
TEST(OddInputs, OneNanLeavesTheStatisticsOfTheOthers) {
  const auto facts = compare(floats({4}, {kNan, 3, 4, kInf}), floats({4}, {1, 3, 5, kInf}));
  EXPECT_EQ(facts.absolute.max, 1);
  EXPECT_EQ(facts.absolute.mean_signed, 0.5);
  EXPECT_DOUBLE_EQ(facts.nrmse, 0.2);
  EXPECT_EQ(facts.relative.max, 0.25);
  EXPECT_TRUE(std::isfinite(facts.cosine));
}

// O05: identical tensors of every dtype give exactly nothing.
TEST(OddInputs, IdenticalBytesGiveExactlyZeroInEveryFigureAndDType) {
  for (const DType dtype : tensor::all_dtypes()) {
    SCOPED_TRACE(std::string(tensor::name(dtype)));
    const std::size_t count = 3000;
    std::vector<std::byte> bytes(count * tensor::size_bytes(dtype));
    // Everyday patterns in every width: no byte that makes an exponent all ones.
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 % 59);
    const tensor::HostTensor same(dtype, {static_cast<std::int64_t>(count)}, std::move(bytes));
    const TensorComparison facts = compare(same, same);
    expect_all_zero(facts);
    EXPECT_EQ(facts.classes.finite, facts.elements);
    EXPECT_EQ(facts.elements, tensor::is_complex(dtype) ? 2 * count : count);
  }
}

// O06: a near-zero reference is a value like any other of the distribution, no headline.
TEST(OddInputs, NearZeroReferenceStaysOneCountInTheTail) {
  std::vector<float> reference(10000, 1.5F);
  reference[17] = 1e-12F;
  std::vector<float> candidate = reference;
  candidate[17] = 1e-6F;
  const auto facts = compare(floats({10000}, reference), floats({10000}, candidate));
  EXPECT_EQ(facts.relative.quantiles.p999, 0);
  EXPECT_LT(facts.nrmse, 1e-8);
  EXPECT_LT(facts.max_error_over_rms, 1e-6);
  EXPECT_NEAR(facts.relative.max, 1e6, 1e3);
}

// O09: through zero, symmetric, and the whole range of float64.
TEST(OddInputs, DistancesGoThroughZeroAndAcrossTheWholeRange) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(compare(floats({1}, {-tiny}), floats({1}, {tiny})).ulp.max, 2U);
  EXPECT_EQ(compare(floats({1}, {tiny}), floats({1}, {-tiny})).ulp.max, 2U);
  const double top = std::numeric_limits<double>::max();
  const auto facts = compare(made_vector<double>(DType::float64, {-top}),
                             made_vector<double>(DType::float64, {top}));
  EXPECT_EQ(facts.ulp.max, 0xFFDFFFFFFFFFFFFEU);
  EXPECT_EQ(facts.nrmse, 2);
  EXPECT_EQ(facts.cosine, -1);
  EXPECT_EQ(facts.relative.max, 2);
  EXPECT_TRUE(std::isinf(facts.absolute.max));
  EXPECT_EQ(facts.reference_rms, top);
}

TEST(OddInputs, NormsSurviveBothEndsOfTheRange) {
  for (const double size : {std::numeric_limits<double>::max(), 1e300, 1e-300, 5e-324 * 1024}) {
    const std::vector<double> reference(1000, size);
    const std::vector<double> candidate(1000, size / 2);
    const auto facts =
        compare(made_vector(DType::float64, reference), made_vector(DType::float64, candidate));
    EXPECT_NEAR(facts.nrmse, 0.5, 1e-13) << size;
    EXPECT_NEAR(facts.cosine, 1, 1e-13) << size;
    EXPECT_NEAR(facts.reference_rms / size, 1, 1e-13) << size;
    EXPECT_NEAR(facts.absolute.mean_signed / size, -0.5, 1e-13) << size;
    EXPECT_NEAR(facts.max_error_over_rms, 0.5, 1e-13) << size;
  }
  const std::vector<float> big(100, std::numeric_limits<float>::max());
  std::vector<float> opposite(100, -std::numeric_limits<float>::max());
  const auto facts = compare(floats({100}, big), floats({100}, opposite));
  EXPECT_EQ(facts.nrmse, 2);
  EXPECT_EQ(facts.absolute.max, 2 * static_cast<double>(std::numeric_limits<float>::max()));
}

TEST(OddInputs, HugeAndTinyValuesTogetherKeepTheirRatio) {
  std::vector<double> reference(100, 1e-200);
  std::vector<double> candidate(100, 1e-200);
  candidate[3] = 2e-200;
  const auto tiny =
      compare(made_vector(DType::float64, reference), made_vector(DType::float64, candidate));
  EXPECT_NEAR(tiny.nrmse, 0.1, 1e-12);
  reference[5] = candidate[5] = 1e200;
  const auto mixed =
      compare(made_vector(DType::float64, reference), made_vector(DType::float64, candidate));
  EXPECT_EQ(mixed.nrmse, 0) << "1e-400 is below the smallest float64";
  EXPECT_EQ(mixed.cosine, 1);
}

TEST(OddInputs, AZeroSideHasCosineZeroAndAZeroReferenceAnInfiniteNrmse) {
  const auto lost = compare(floats({2}, {0, 0}), floats({2}, {1, 0}));
  EXPECT_TRUE(std::isinf(lost.nrmse));
  EXPECT_TRUE(std::isinf(lost.max_error_over_rms));
  EXPECT_EQ(lost.cosine, 0);
  EXPECT_EQ(lost.relative.max, 0);
  EXPECT_EQ(lost.classes.zero_reference, 1U);
  const auto zeroed = compare(floats({2}, {1, 2}), floats({2}, {0, 0}));
  EXPECT_EQ(zeroed.nrmse, 1);
  EXPECT_EQ(zeroed.cosine, 0);
}

// O29: empty and 0-dim tensors are compared.
TEST(OddInputs, EmptyAndZeroDimTensorsAreCompared) {
  for (const tensor::Shape& shape :
       {tensor::Shape{0, 5}, tensor::Shape{3, 0, 2}, tensor::Shape{0}}) {
    const auto facts = compare(floats(shape, {}), floats(shape, {}));
    EXPECT_EQ(facts.elements, 0U);
    EXPECT_EQ(facts.exact_share, 1);
    expect_all_zero(facts);
    EXPECT_FALSE(facts.reference_constant);
    EXPECT_FALSE(facts.reference_all_nan);
  }
  const auto scalar = compare(floats({}, {2}), floats({}, {3}));
  EXPECT_EQ(scalar.elements, 1U);
  EXPECT_EQ(scalar.absolute.max, 1);
  ASSERT_EQ(scalar.worst.size(), 1U);
  EXPECT_TRUE(scalar.worst[0].index.empty());
  EXPECT_EQ(scalar.where.outside, 1U);
  EXPECT_TRUE(scalar.where.axes.empty());
}

TEST(OddInputs, ShapesAndComplexnessMustAgree) {
  EXPECT_THROW(static_cast<void>(compare(floats({2, 3}, std::vector<float>(6)),
                                         floats({3, 2}, std::vector<float>(6)))),
               Error);
  const auto complex_one = made_vector<std::complex<float>>(DType::complex64, {{1, 2}});
  EXPECT_THROW(static_cast<void>(compare(floats({1}, {1}), complex_one)), Error);
}

// B42: one byte read as OCP e4m3fn and as e4m3fnuz: half the value, and NaN where -0 was.
// B44: subnormals flushed to zero are counted apart; the distance is what it is.
TEST(Classes, FlushedSubnormalsAreCountedApartFromTheDistance) {
  const std::vector<float> reference(1000, 1e-40F);
  const std::vector<float> candidate(1000, 0.0F);
  const auto facts = compare(floats({1000}, reference), floats({1000}, candidate));
  EXPECT_EQ(facts.classes.flushed_to_zero, 1000U);
  EXPECT_EQ(facts.ulp.max, 71362U);
  EXPECT_NEAR(facts.absolute.max, 1e-40, 1e-45);
  const auto normal = compare(floats({2}, {2e-38F, 1}), floats({2}, {0, 1}));
  EXPECT_EQ(normal.classes.flushed_to_zero, 0U) << "2e-38 is a normal number";
}

TEST(Constants, AreSeenAndNanOnlyReferencesToo) {
  EXPECT_TRUE(compare(floats({3}, {2, 2, 2}), floats({3}, {2, 2, 3})).reference_constant);
  EXPECT_FALSE(compare(floats({3}, {2, 2, 3}), floats({3}, {2, 2, 2})).reference_constant);
  EXPECT_FALSE(compare(floats({2}, {0.0F, -0.0F}), floats({2}, {0, 0})).reference_constant);
  EXPECT_FALSE(compare(floats({1}, {2}), floats({1}, {2})).reference_constant);
  EXPECT_TRUE(compare(floats({2}, {kNan, kNan}), floats({2}, {1, 2})).reference_all_nan);
}

TEST(Worst, ListsByDistanceThenIndexWithValuesAndBits) {
  std::vector<float> reference(5000, 1.0F);
  std::vector<float> candidate = reference;
  candidate[4000] = 0x1.000006p0F;
  candidate[70] = 0x1.000004p0F;
  candidate[7] = 0x1.000002p0F;
  candidate[3] = 0x1.000002p0F;
  CompareOptions options;
  options.worst_count = 3;
  const auto facts = compare(floats({50, 100}, reference), floats({50, 100}, candidate), options);
  ASSERT_EQ(facts.worst.size(), 3U);
  EXPECT_EQ(facts.worst[0].index, (std::vector<std::int64_t>{40, 0}));
  EXPECT_EQ(facts.worst[0].reference_bits, 0x3F800000U);
  EXPECT_EQ(facts.worst[0].candidate_bits, 0x3F800003U);
  EXPECT_EQ(facts.worst[0].candidate, 0x1.000006p0);
  EXPECT_EQ(facts.worst[1].index, (std::vector<std::int64_t>{0, 70}));
  EXPECT_EQ(facts.worst[2].index, (std::vector<std::int64_t>{0, 3}));
  options.worst_count = 0;
  EXPECT_TRUE(
      compare(floats({50, 100}, reference), floats({50, 100}, candidate), options).worst.empty());
}

// B51: an absolute error of 1 at 128..256 is one step of bfloat16.
TEST(Ulp, OfBFloat16SaysThatAnAbsoluteErrorOfOneIsOneStep) {
  std::vector<std::uint16_t> reference;
  std::vector<std::uint16_t> candidate;
  for (int value = 130; value < 250; ++value) {
    reference.push_back(to_bfloat16(static_cast<float>(value)));
    candidate.push_back(to_bfloat16(static_cast<float>(value + 1)));
  }
  const auto facts =
      compare(made_vector(DType::bfloat16, reference), made_vector(DType::bfloat16, candidate));
  EXPECT_EQ(facts.absolute.max, 1);
  EXPECT_EQ(facts.ulp.max, 1U);
}

// B48: three outliers among many are in the maximum, the tail and the count, though not in the
// mean.
TEST(Outliers, AreInTheMaximumAndTheCountThoughNotInTheMean) {
  std::vector<float> reference(20480, 205.8F);
  std::vector<float> candidate = reference;
  for (const std::size_t at : {std::size_t{5}, std::size_t{9000}, std::size_t{20000}})
    candidate[at] = 183.1F;
  CompareOptions options;
  options.element_bound = {1e-5, 1e-5};
  const auto facts = compare(floats({20, 1024}, reference), floats({20, 1024}, candidate), options);
  EXPECT_EQ(facts.where.outside, 3U);
  EXPECT_EQ(facts.where.first, (std::vector<std::int64_t>{0, 5}));
  EXPECT_NEAR(facts.absolute.max, 22.7, 0.01);
  EXPECT_LT(std::abs(facts.absolute.mean_signed), 0.01);
  EXPECT_EQ(facts.ulp.quantiles.p999, 0);
  EXPECT_EQ(facts.worst.size(), 3U);
}

}  // namespace
}  // namespace parity::compare
