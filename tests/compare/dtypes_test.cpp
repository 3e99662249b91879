// Integers, bool, complex and pairs of two different dtypes: everything that is no everyday float.
#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include "compare/made_tensor.h"

namespace parity::compare {
namespace {

using tensor::DType;

TEST(Integers, AreFinitePairsWithStepsAndExactDifferences) {
  const auto facts =
      compare(made_vector<std::int64_t>(
                  DType::int64, {0, 5, std::numeric_limits<std::int64_t>::min(), (1LL << 60) + 1}),
              made_vector<std::int64_t>(
                  DType::int64, {2, 5, std::numeric_limits<std::int64_t>::max(), 1LL << 60}));
  EXPECT_EQ(facts.classes.finite, 4U);
  EXPECT_EQ(facts.classes.equal_bits, 1U);
  EXPECT_EQ(facts.classes.zero_reference, 1U);
  EXPECT_EQ(facts.ulp.max, ~std::uint64_t{0});
  EXPECT_EQ(facts.ulp.histogram.counts[1], 1U) << "equal in float64 and yet one apart";
  EXPECT_EQ(facts.ulp.dtype, DType::int64);
  EXPECT_EQ(facts.relative.max, 2);
}

TEST(Integers, OfEveryWidthAndBoolAreCompared) {
  const auto one_apart = [](DType dtype) {
    const std::size_t size = tensor::size_bytes(dtype);
    std::vector<std::byte> reference(3 * size);
    reference[0] = std::byte{7};
    std::vector<std::byte> candidate = reference;
    candidate[size] = std::byte{1};
    return compare(tensor::HostTensor(dtype, {3}, reference),
                   tensor::HostTensor(dtype, {3}, candidate));
  };
  for (const DType dtype : tensor::all_dtypes()) {
    if (!tensor::is_integral(dtype)) continue;
    const auto facts = one_apart(dtype);
    EXPECT_EQ(facts.ulp.max, 1U) << tensor::name(dtype);
    EXPECT_EQ(facts.classes.equal_bits, 2U) << tensor::name(dtype);
    EXPECT_EQ(facts.absolute.max, 1) << tensor::name(dtype);
    EXPECT_EQ(facts.worst.size(), 1U) << tensor::name(dtype);
  }
}

TEST(Complex, IsComparedByComponentWithATrailingIndex) {
  using C = std::complex<float>;
  const auto facts = compare(made_vector<C>(DType::complex64, {{1, 2}, {3, 4}}),
                             made_vector<C>(DType::complex64, {{1, 2}, {3, 5}}));
  EXPECT_EQ(facts.elements, 4U);
  EXPECT_EQ(facts.shape, tensor::Shape{2});
  EXPECT_EQ(facts.ulp.dtype, DType::float32);
  ASSERT_EQ(facts.worst.size(), 1U);
  EXPECT_EQ(facts.worst[0].index, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(facts.absolute.max, 1);
}

TEST(MixedDTypes, CountUlpOfTheCoarserAndSaySo) {
  const std::vector<float> reference = {1.0F, 1.00390625F, -2.0F, 0.0F, 1e-40F};
  std::vector<std::uint16_t> candidate;
  for (const float value : reference) candidate.push_back(to_bfloat16(value));
  candidate[2] = static_cast<std::uint16_t>(candidate[2] + 1);
  const auto facts = compare(floats({5}, reference), made_vector(DType::bfloat16, candidate));
  EXPECT_EQ(facts.ulp.dtype, DType::bfloat16);
  EXPECT_EQ(facts.ulp.max, 1U);
  EXPECT_EQ(facts.ulp.histogram.counts[0], 4U) << "rounded to bfloat16 they are equal";
  EXPECT_EQ(facts.classes.equal_bits, 2U) << "1 and 0 alone have the same value";
  const auto swapped = compare(made_vector(DType::bfloat16, candidate), floats({5}, reference));
  EXPECT_EQ(swapped.ulp.dtype, DType::bfloat16);
  EXPECT_EQ(swapped.ulp.max, 1U);
}

TEST(MixedDTypes, CountPastTheCoarserRangeAndThroughZero) {
  // 1e5 is no float16 and counts on as if the exponents did: 65536 is one step past 65504.
  const std::vector<std::uint16_t> halves = {0x7BFF, 0x8001};
  const auto facts =
      compare(made_vector(DType::float16, halves), floats({2}, {65536.0F, 0x1p-24F}));
  EXPECT_EQ(facts.ulp.dtype, DType::float16);
  EXPECT_EQ(facts.ulp.histogram.counts[1], 1U);
  EXPECT_EQ(facts.ulp.histogram.counts[2], 1U);
  EXPECT_EQ(facts.classes.finite, 2U);
}

TEST(MixedDTypes, TheSameFloat8BytesInTheOtherFormatAreHalfTheValue) {
  std::vector<std::uint8_t> bytes;
  for (int pattern = 0; pattern < 256; ++pattern) {
    if ((pattern & 0x7F) >= 0x10 && (pattern & 0x7F) != 0x7F)
      bytes.push_back(static_cast<std::uint8_t>(pattern));
  }
  bytes.push_back(0x80);
  const auto facts =
      compare(made_vector(DType::float8_e4m3fn, bytes), made_vector(DType::float8_e4m3fnuz, bytes));
  EXPECT_EQ(facts.classes.nan_candidate_only, 1U);
  EXPECT_EQ(facts.relative.max, 0.5);
  ASSERT_FALSE(facts.hints.empty());
  EXPECT_EQ(facts.hints[0].pattern, "scaled");
  EXPECT_NE(facts.hints[0].evidence.find("0.5 x reference in 100 %"), std::string::npos)
      << facts.hints[0].evidence;
}

}  // namespace
}  // namespace parity::compare
