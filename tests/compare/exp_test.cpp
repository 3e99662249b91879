// The exponential of the kernels for logits, on every SIMD target: as close to the true one as its
// comment says, and the same bits everywhere.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/exp_test.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

void Exponentials(const double* x, std::size_t count, double* normal, double* any, double* bend) {
  const DoubleTag d;
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const DoubleVector value = hn::LoadU(d, x + i);
    hn::StoreU(exp_of_normal(value), d, normal + i);
    hn::StoreU(exp_of_any(value), d, any + i);
    hn::StoreU(bend_of_near(value), d, bend + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

HWY_EXPORT(Exponentials);

namespace {

struct Results {
  explicit Results(const std::vector<double>& x) : normal(x.size()), any(x.size()), bend(x.size()) {
    HWY_DYNAMIC_DISPATCH(Exponentials)
    (x.data(), x.size(), normal.data(), any.data(), bend.data());
  }
  bool operator==(const Results&) const = default;

  std::vector<double> normal;
  std::vector<double> any;
  std::vector<double> bend;
};

/// `count` numbers from `lowest` to `highest`, a multiple of eight.
std::vector<double> range(double lowest, double highest, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] =
        lowest + (highest - lowest) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return values;
}

void expect_close(double found, double x, const char* function) {
  const long double expected = std::exp(static_cast<long double>(x));
  const long double error = std::abs(static_cast<long double>(found) - expected);
  const long double ulp = std::ldexp(1.0L, std::ilogb(expected) - 52);
  const long double subnormal_ulp = x < -708 ? std::numeric_limits<double>::denorm_min() : 0;
  EXPECT_LE(error, (1.1L + 1.5L * std::abs(x)) * ulp + subnormal_ulp) << function << " of " << x;
}

TEST(Exp, IsAsCloseAsItsCommentSays) {
  for (const auto& x : {range(-1, 0, 1U << 14U), range(-40, 0, 1U << 16U),
                        range(-708, 0, 1U << 16U), range(-1e-9, 0, 1U << 10U)}) {
    const Results results(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expect_close(results.normal[i], x[i], "exp_of_normal");
      EXPECT_EQ(results.any[i], results.normal[i]) << x[i];
    }
  }
}

TEST(Exp, UnderflowsGradually) {
  const std::vector<double> x = range(-746, -700, 1U << 16U);
  const Results results(x);
  for (std::size_t i = 0; i < x.size(); ++i) expect_close(results.any[i], x[i], "exp_of_any");
}

TEST(Exp, OfNothingAndOfAll) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Results results({0.0, -0.0, -kInf, -std::numeric_limits<double>::max(), -1e5, -745.2,
                         -746.5, -std::numeric_limits<double>::denorm_min()});
  EXPECT_EQ(results.any, (std::vector<double>{1, 1, 0, 0, 0, 0, 0, 1}));
}

TEST(Exp, BendIsExactForSmallChanges) {
  for (const double width : {0.25, 1e-2, 1e-5, 1e-12}) {
    const std::vector<double> x = range(-width, width, 1U << 14U);
    const Results results(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<long double>(x[i]);
      // Terms up to x^20 / 22!, far below long double's last digit.
      long double expected = 0;
      for (int k = 20; k >= 0; --k) expected = expected * value / (k + 3) + 1;
      expected /= 2;
      const auto error = static_cast<double>(results.bend[i] / expected - 1);
      EXPECT_LE(std::abs(error), 0x1p-52 + 0x1p-40 * std::abs(x[i])) << x[i];
    }
  }
}

TEST(Exp, GivesTheSameBitsOnEverySimdTarget) {
  for (const auto& x : {range(-746, 0, 1U << 12U), range(-0.25, 0.25, 1U << 12U)}) {
    const Results expected(x);
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_EQ(Results(x).any, expected.any) << hwy::TargetName(target);
      EXPECT_EQ(Results(x).bend, expected.bend) << hwy::TargetName(target);
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

}  // namespace
}  // namespace parity::compare
#endif  // HWY_ONCE
