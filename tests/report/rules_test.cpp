// The rule that judged each tap, in every format that shows it.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/json/json.h"
#include "report/made_report.h"
#include "report/terminal/table.h"

namespace parity::report {
namespace {

Report judged_report() {
  Report report = report_test::failing_report();
  for (Tap& tap : report.cases[0].taps) tap.rule = "mine.toml:3";
  for (Logits& logits : report.cases[0].logits) logits.rule = "mine.toml:9";
  report.policy_bounds = {{"float16", "nrmse", 0.001, 0.01, "last week", "mine.toml:3"},
                          {"float16", "ulp.max", 1, 2, "last month", "mine.toml:3"},
                          {"logits", "flips", 0, 0, "last year", "mine.toml:9"}};
  return report;
}

std::string table(const Report& report) {
  TableOptions options;
  options.show = Show::all;
  options.width = 200;
  return to_table(report, options);
}

TEST(Rules, AreNamedInTheDetailsAndOnceAboveTheirBounds) {
  EXPECT_EQ(table(report_test::failing_report()).find("judged by rule"), std::string::npos);
  const std::string text = table(judged_report());
  EXPECT_NE(text.find("judged by rule mine.toml:3"), std::string::npos) << text;
  EXPECT_NE(text.find("judged by rule mine.toml:9"), std::string::npos) << text;
  const std::size_t first = text.find("\n  rule mine.toml:3\n    float16  nrmse");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("  rule mine.toml:3\n", first + 4), std::string::npos) << text;
  EXPECT_NE(text.find("\n  rule mine.toml:9\n    logits   flips", first), std::string::npos)
      << text;
}

TEST(Rules, AreKeysOfTheJsonAndNullWhereNoneJudged) {
  Report report = judged_report();
  report.cases[0].taps[1].rule.clear();
  report.policy_bounds[1].rule.clear();
  ASSERT_FALSE(report.cases[0].logits.empty());
  const auto root = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(root.at("policy").at("bounds").at(0).at("rule"), "mine.toml:3");
  EXPECT_TRUE(root.at("policy").at("bounds").at(1).at("rule").is_null());
  const auto& one = root.at("cases").at(0);
  EXPECT_EQ(one.at("taps").at(0).at("rule"), "mine.toml:3");
  EXPECT_TRUE(one.at("taps").at(1).at("rule").is_null());
  EXPECT_EQ(one.at("logits").at("rule"), "mine.toml:9");
}

}  // namespace
}  // namespace parity::report
