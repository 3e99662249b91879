// From one measured figure to its limits: what each metric's may not be below or above.
#include "gate/calibration_limits.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "gate/looseness.h"

namespace parity::gate {
namespace {

using tensor::DType;

constexpr double kFloat32 = 5.9604644775390625e-8;

Measured measured(double worst, double headroom = 4) { return {worst, true, headroom, 1000}; }

TEST(TapLimit, IsTheHeadroomAboveWhatWasMeasuredWarnAtItsSquareRoot) {
  for (const char* metric : {"nrmse", "introduced.nrmse"}) {
    const Limit limit = tap_limit(metric, DType::float32, measured(1e-3)).value();
    EXPECT_DOUBLE_EQ(limit.fail, 4e-3) << metric;
    EXPECT_DOUBLE_EQ(limit.warn, 2e-3) << metric;
    EXPECT_EQ(limit.remark, "") << metric;
  }
}

TEST(TapLimit, IsNeverBelowOneRoundingNorIsThatOfWhatALayerIntroduces) {
  const struct {
    const char* metric;
    double warn;
    double fail;
  } rows[] = {{"nrmse", 1, 2},
              {"introduced.nrmse", 1, 2},
              {"max_error_over_rms", 32, 64},
              {"introduced.max_error_over_rms", 32, 64}};
  for (const auto& row : rows) {
    const Limit limit = tap_limit(row.metric, DType::float32, measured(0)).value();
    EXPECT_NEAR(limit.warn, row.warn * kFloat32, 0.1 * row.warn * kFloat32) << row.metric;
    EXPECT_NEAR(limit.fail, row.fail * kFloat32, 0.1 * row.fail * kFloat32) << row.metric;
    EXPECT_GE(limit.fail, row.fail * kFloat32) << row.metric;
    EXPECT_EQ(limit.remark, "what one rounding explains") << row.metric;
  }
}

TEST(TapLimit, OfATruthRatioIsNeverBelowTheBuiltInFactorNorOneThatAnythingKeepsTo) {
  EXPECT_EQ(tap_limit("truth.ratio", DType::float32, measured(0.1)).value().fail, 2);
  EXPECT_EQ(tap_limit("truth.ratio", DType::bfloat16, measured(0.1)).value().fail, 3);
  const Limit own = tap_limit("truth.ratio", DType::float32, measured(1.5)).value();
  EXPECT_DOUBLE_EQ(own.fail, 6);
  EXPECT_DOUBLE_EQ(own.warn, 3);
  const Limit held = tap_limit("truth.ratio", DType::float32, measured(40)).value();
  EXPECT_EQ(held.fail, 50);
  EXPECT_EQ(looseness("truth.ratio", held.fail), "");
  EXPECT_FALSE(tap_limit("truth.ratio", DType::float32, measured(50)));
  EXPECT_FALSE(
      tap_limit("truth.ratio", DType::float32, measured(std::numeric_limits<double>::infinity())));
}

TEST(TapLimit, IsLeftOutWhereNoRunMeasuredTheMetric) {
  Measured unknown;
  for (const char* metric : {"nrmse", "ulp.p99", "introduced.nrmse", "truth.ratio"})
    EXPECT_FALSE(tap_limit(metric, DType::float32, unknown)) << metric;
  EXPECT_EQ(tap_limit("where.share", DType::float32, unknown).value().fail, 0.01)
      << "the built-in one";
}

TEST(TapLimit, OfEveryMetricIsOneThatAPolicyMayHave) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float8_e5m2}) {
    std::vector<std::string_view> metrics = calibrated_metrics(dtype);
    for (const std::string_view metric : late_metrics(dtype)) metrics.push_back(metric);
    for (std::string_view metric : metrics) {
      for (const double worst : {0.0, 1e-9, 1e-3, 0.4, 3.0, 49.0, 1e9}) {
        const auto limit = tap_limit(metric, dtype, measured(worst, 8.5));
        if (!limit) continue;
        EXPECT_LE(limit->warn, limit->fail) << metric << " " << worst;
        std::string_view plain = metric;
        if (plain.rfind(kIntroducedPrefix, 0) == 0) plain.remove_prefix(kIntroducedPrefix.size());
        EXPECT_EQ(looseness(plain, limit->fail), "") << metric << " " << worst;
        EXPECT_EQ(looseness_in(dtype, plain, limit->fail), "") << metric << " " << worst;
      }
    }
  }
}

TEST(LogitsLimit, OfADivergenceHasTheSquareOfTheHeadroomUpToTheBuiltInLimit) {
  EXPECT_DOUBLE_EQ(logits_limit("kl.mean", DType::float32, measured(3e-5)).value().fail, 4.8e-4);
  EXPECT_DOUBLE_EQ(logits_limit("kl.mean", DType::float32, measured(2e-4)).value().fail, 1e-3);
  EXPECT_FALSE(logits_limit("kl.max", DType::float32, measured(1.5)));
}

TEST(LogitsLimit, IsTheBuiltInOneWhereNoRunMeasuredTheMetric) {
  for (const std::string_view metric : calibrated_logits_metrics()) {
    const Limit limit = logits_limit(metric, DType::bfloat16, {}).value();
    EXPECT_EQ(limit.fail, built_in_logits_bound(metric)->fail) << metric;
    EXPECT_EQ(limit.warn, built_in_logits_bound(metric)->warn) << metric;
    EXPECT_EQ(limit.remark, "the built-in limit");
  }
}

TEST(LateMetrics, AreOfWhatIsRounded) {
  EXPECT_EQ(late_metrics(DType::bfloat16).size(), 3U);
  EXPECT_TRUE(late_metrics(DType::int64).empty());
  for (const std::string_view metric : late_metrics(DType::float32)) EXPECT_TRUE(is_late(metric));
  for (const std::string_view metric : calibrated_metrics(DType::float32))
    EXPECT_FALSE(is_late(metric));
}

}  // namespace
}  // namespace parity::gate
