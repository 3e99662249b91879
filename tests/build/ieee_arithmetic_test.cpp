// What the compiler flags promise, seen from a running process: NaN, signed zeros and subnormals
// behave as IEEE 754 says, and a multiplication followed by an addition rounds twice.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity {
namespace {

// volatile keeps the compiler from computing at compile time, where no flag matters.
volatile double runtime_zero = 0.0;

TEST(IeeeArithmetic, NanIsSeen) {
  const double nan = runtime_zero / runtime_zero;
  EXPECT_TRUE(std::isnan(nan));
  EXPECT_FALSE(nan == nan);
  EXPECT_FALSE(nan <= 1.0);
}

TEST(IeeeArithmetic, InfinityIsSeen) {
  EXPECT_TRUE(std::isinf(1.0 / runtime_zero));
  EXPECT_FALSE(std::isfinite(1.0 / runtime_zero));
}

TEST(IeeeArithmetic, ZerosKeepTheirSign) {
  EXPECT_TRUE(std::signbit(-runtime_zero));
  EXPECT_FALSE(std::signbit(-runtime_zero + runtime_zero));
}

TEST(IeeeArithmetic, SubnormalsAreNotFlushed) {
  volatile float smallest = std::numeric_limits<float>::min();
  const float half = smallest / 2.0F;
  EXPECT_GT(half, 0.0F);
  EXPECT_EQ(half * 2.0F, smallest);
  volatile float subnormal = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(subnormal * 2.0F, 2.0F * std::numeric_limits<float>::denorm_min());
  EXPECT_NE(subnormal, 0.0F);
}

TEST(IeeeArithmetic, SumsKeepTheirOrder) {
  volatile double big = 0x1p53;
  volatile double one = 1.0;
  EXPECT_EQ((big + one) + one, 0x1p53);
  EXPECT_EQ(big + (one + one), 0x1p53 + 2.0);
}

TEST(IeeeArithmetic, AProductIsRoundedBeforeItIsAdded) {
  volatile double factor = 1.0 + 0x1p-30;
  const double a = factor;
  const double product = a * a;  // exactly 1 + 2^-29 + 2^-60; the last term does not fit
  EXPECT_EQ(a * a - product, 0.0);
  EXPECT_EQ(std::fma(a, a, -product), 0x1p-60);
}

}  // namespace
}  // namespace parity
