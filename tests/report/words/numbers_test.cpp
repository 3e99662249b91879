#include "report/words/numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity::report {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Numbers, AreShortButNeverMeanSomethingElse) {
  const std::pair<double, std::string> shorts[] = {
      {0, "0"},       {-0.0, "0"},   {3.14e-7, "3.1e-07"}, {1, "1.0e+00"},      {kNan, "nan"},
      {-kNan, "nan"}, {kInf, "inf"}, {-kInf, "-inf"},      {1e-320, "1.0e-320"}};
  for (const auto& [value, text] : shorts) EXPECT_EQ(short_number(value), text) << value;

  const std::pair<double, std::string> counts[] = {
      {0, "0"},     {12, "12"},    {9999999, "9999999"}, {1e7, "1.0e+07"}, {1.8e19, "1.8e+19"},
      {2.5, "2.5"}, {kNan, "nan"}, {kInf, "inf"}};
  for (const auto& [value, text] : counts) EXPECT_EQ(short_count(value), text) << value;

  const std::pair<double, std::string> shares[] = {
      {1, "100"},     {0, "0"},        {0.99999, ">99.99"}, {std::nextafter(1.0, 0.0), ">99.99"},
      {0.5, "50.00"}, {1e-9, "<0.01"}, {0.1234, "12.34"},   {kNan, "nan"}};
  for (const auto& [value, text] : shares) EXPECT_EQ(percent(value), text) << value;
}

TEST(Numbers, TellNeighboursOfADtypeApart) {
  using tensor::DType;
  EXPECT_NE(element_value(1.0, DType::bfloat16), element_value(1.0078125, DType::bfloat16));
  EXPECT_NE(element_value(1.0, DType::float16), element_value(1.0009765625, DType::float16));
  EXPECT_NE(element_value(1.0, DType::float32), element_value(1.0F + 0x1p-23F, DType::float32));
  EXPECT_NE(element_value(1.0, DType::float64),
            element_value(std::nextafter(1.0, 2.0), DType::float64));
  EXPECT_EQ(element_value(9007199254740992.0, DType::int64), "9007199254740992");
  EXPECT_EQ(element_value(kNan, DType::float32), "nan");
}

TEST(Numbers, ShowBitsAsWideAsTheElement) {
  using tensor::DType;
  EXPECT_EQ(bit_pattern(0x3f, DType::bfloat16), "0x003f");
  EXPECT_EQ(bit_pattern(1, DType::float32), "0x00000001");
  EXPECT_EQ(bit_pattern(0x80, DType::float8_e4m3fn), "0x80");
  EXPECT_EQ(bit_pattern(1, DType::complex64), "0x00000001") << "components are compared";
}

TEST(Numbers, WriteIndices) {
  EXPECT_EQ(index_text({}), "[]");
  EXPECT_EQ(index_text({0, 16, 3}), "[0,16,3]");
}

TEST(Sparkline, GroupsUlpBinsIntoEightBars) {
  compare::Histogram histogram;
  histogram.edges = {0, 1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025, 2049};
  histogram.counts.assign(histogram.edges.size(), 0);
  EXPECT_EQ(sparkline(histogram), "........");
  histogram.counts[0] = 800;
  EXPECT_EQ(sparkline(histogram), "█.......");
  histogram.counts[1] = 1;
  EXPECT_EQ(sparkline(histogram), "█▁......") << "one element in 801 still shows";
  histogram.counts[5] = 300;
  histogram.counts[7] = 100;
  EXPECT_EQ(sparkline(histogram), "█▁...▄..") << "9-16 and 33-64 are one bar";
  histogram.counts[13] = 800;
  EXPECT_EQ(sparkline(histogram), "█▁...▄.█");
  EXPECT_EQ(sparkline({}), "........");
}

}  // namespace
}  // namespace parity::report
