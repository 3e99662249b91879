#include "history/metrics.h"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "tensor/dtype.h"

namespace parity::history {
namespace {

TEST(Metrics, AreFoundAtTheirIndexAndHaveOneNameAndColumnEach) {
  std::set<std::string_view> names;
  std::set<std::string_view> columns;
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const MetricFacts& facts = all_metrics().at(i);
    EXPECT_EQ(index_of(facts.metric), i) << facts.name;
    EXPECT_EQ(&facts_of(facts.metric), &facts) << facts.name;
    names.insert(facts.name);
    columns.insert(facts.column);
  }
  EXPECT_EQ(names.size(), kMetricCount);
  EXPECT_EQ(columns.size(), kMetricCount);
}

TEST(Metrics, WarnBoundsGoByTheDtype) {
  using tensor::DType;
  for (const auto& [dtype, roundoffs] :
       {std::pair(DType::float64, 64.0), std::pair(DType::float32, 64.0),
        std::pair(DType::float16, 6.0), std::pair(DType::bfloat16, 6.0),
        std::pair(DType::float8_e4m3fn, 1.0), std::pair(DType::float8_e5m2, 1.0)}) {
    EXPECT_EQ(warn_roundoffs(tensor::unit_roundoff(dtype)), roundoffs) << tensor::name(dtype);
  }
}

}  // namespace
}  // namespace parity::history
