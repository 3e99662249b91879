#include "gate/metrics.h"

#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "gate/made_facts.h"

namespace parity::gate {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Metrics, FindEachNumberByItsName) {
  compare::TensorComparison facts = gate_test::noisy_facts(0.25);
  facts.absolute.mean_signed = -0.5;
  facts.reference_rms = 2;
  facts.relative.quantiles = {0.01, 0.02, 0.03, 0.04, false};
  facts.where.outside = 7;
  facts.where.share = 0.007;
  facts.classes.zero_reference = 3;
  facts.classes.zero_sign = 4;
  facts.classes.flushed_to_zero = 5;
  const std::pair<const char*, double> rows[] = {
      {"nrmse", 0.25},
      {"max_error_over_rms", 1},
      {"bias_over_rms", 0.25},
      {"ulp.max", 12},
      {"ulp.p50", 1},
      {"ulp.p90", 2},
      {"ulp.p99", 5},
      {"ulp.p999", 9},
      {"relative.max", 25},
      {"relative.p50", 0.01},
      {"relative.p90", 0.02},
      {"relative.p99", 0.03},
      {"relative.p999", 0.04},
      {"absolute.max", 1},
      {"absolute.mean_signed", 0.5},
      {"cosine", 1 - 0.25 * 0.25 / 2},
      {"exact_share", 0.1},
      {"unequal", 900},
      {"where.outside", 7},
      {"where.share", 0.007},
      {"classes.zero_reference", 3},
      {"classes.zero_sign", 4},
      {"classes.flushed_to_zero", 5},
  };
  for (const auto& [name, value] : rows) {
    const TensorMetric* metric = find_tensor_metric(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_EQ(metric->value(facts), value) << name;
  }
  EXPECT_EQ(std::size(rows), tensor_metrics().size()) << "a metric without a row here";
}

TEST(Metrics, FindEachNumberOfLogitsByItsName) {
  compare::LogitsComparison facts;
  facts.kl = {1, 2, 3};
  facts.kl_reverse = {4, 5, 6};
  facts.top1_agreement = 0.75;
  facts.topk_overlap = {{5, 0.9}, {10, 0.8}, {20, 0.95}};
  facts.flips = 8;
  facts.decided_flips = 9;
  facts.max_flip_gap = 10;
  facts.max_logprob_change = 11;
  const std::pair<const char*, double> rows[] = {
      {"kl.mean", 1},           {"kl.p99", 2},         {"kl.max", 3},
      {"kl_reverse.mean", 4},   {"kl_reverse.p99", 5}, {"kl_reverse.max", 6},
      {"top1_agreement", 0.75}, {"topk_overlap", 0.8}, {"flips", 8},
      {"decided_flips", 9},     {"max_flip_gap", 10},  {"max_logprob_change", 11},
  };
  for (const auto& [name, value] : rows) {
    const LogitsMetric* metric = find_logits_metric(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_EQ(metric->value(facts), value) << name;
  }
  EXPECT_EQ(std::size(rows), logits_metrics().size()) << "a metric without a row here";
}

TEST(Metrics, RefuseOtherNames) {
  for (const char* name : {"", "NRMSE", "nrmse ", "ulp", "ulp.p42", "kl.mean"}) {
    EXPECT_EQ(find_tensor_metric(name), nullptr) << "'" << name << "'";
  }
  for (const char* name : {"", "kl", "nrmse", "top1"})
    EXPECT_EQ(find_logits_metric(name), nullptr) << name;
}

TEST(Metrics, GiveNanWhereFactsContradictThemselves) {
  compare::TensorComparison facts = gate_test::identical_facts();
  facts.classes.equal_bits = 1001;
  EXPECT_TRUE(std::isnan(find_tensor_metric("unequal")->value(facts)));
  compare::LogitsComparison logits;
  logits.topk_overlap = {{5, 0.9}, {10, kNan}};
  EXPECT_TRUE(std::isnan(find_logits_metric("topk_overlap")->value(logits)));
}

TEST(IsBeyond, NeverLetsNanPass) {
  struct {
    double value, limit;
    Direction direction;
    bool beyond;
  } const rows[] = {
      {1, 1, Direction::higher_is_worse, false},   {1.1, 1, Direction::higher_is_worse, true},
      {1, 1, Direction::lower_is_worse, false},    {0.9, 1, Direction::lower_is_worse, true},
      {kNan, 1, Direction::higher_is_worse, true}, {kNan, 1, Direction::lower_is_worse, true},
      {1, kNan, Direction::higher_is_worse, true}, {1, kNan, Direction::lower_is_worse, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(is_beyond(row.value, row.limit, row.direction), row.beyond)
        << row.value << " against " << row.limit;
  }
}

}  // namespace
}  // namespace parity::gate
