#include "history/metrics.h"

#include <set>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace parity::history
