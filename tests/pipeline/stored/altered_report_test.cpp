// No single altered number of a failing report makes it pass, as it stands or judged again.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "error/error.h"
#include "gate/rule_book.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/stored/measured_reports.h"
#include "pipeline/stored/stored_report.h"
#include "report/json/json.h"

namespace parity::pipeline {
namespace {

using Json = nlohmann::ordered_json;
using pipeline_test::as_logits;
using pipeline_test::Change;
using pipeline_test::compared;
using pipeline_test::Content;
using pipeline_test::full_report;
using pipeline_test::judged;
using pipeline_test::made;
using pipeline_test::report_of;

/// Calls `visit` with every number, and of long lists with some of them.
void for_each_number(Json& value, const std::string& path,
                     const std::function<void(Json&, const std::string&)>& visit) {
  constexpr std::size_t kLong = 12;
  if (value.is_object()) {
    for (auto& item : value.items()) for_each_number(item.value(), path + "/" + item.key(), visit);
  } else if (value.is_array()) {
    const std::size_t step = value.size() > kLong ? value.size() / 3 : 1;
    for (std::size_t i = 0; i < value.size(); i += step)
      for_each_number(value[i], path + "/" + std::to_string(i), visit);
  } else if (value.is_number()) {
    visit(value, path);
  }
}

std::vector<Json> altered(const Json& number) {
  std::vector<Json> others = {Json(0), Json(nullptr)};
  if (number.is_number_float()) {
    others.emplace_back(number.get<double>() * 2);
    others.emplace_back(-number.get<double>());
  } else {
    others.emplace_back(number.get<std::int64_t>() * 2);
    others.emplace_back(-number.get<std::int64_t>());
  }
  return others;
}

/// What the report says itself, and what it is when it is judged again.
bool passes_anywhere(const std::string& text) {
  report::Report report = stored_report(text, "r.json");
  if (report.exit_code == 0) return true;
  judge_report(report, gate::default_rules(), run::Strictness::normal);
  return report.exit_code == 0;
}

/// Where a failing report passes with one number altered, and how many were not refused.
struct Holes {
  std::vector<std::string> passing;
  std::size_t tried = 0;
  std::size_t taken = 0;
};

Holes holes_in(const report::Report& report) {
  Holes holes;
  Json document = Json::parse(report::to_json(report));
  EXPECT_NO_THROW((void)stored_report(document.dump(), "r.json"));
  for_each_number(document, "", [&](Json& number, const std::string& path) {
    const Json kept = number;
    for (const Json& other : altered(kept)) {
      if (other == kept) continue;
      ++holes.tried;
      number = other;
      try {
        if (passes_anywhere(document.dump())) holes.passing.push_back(path + " = " + other.dump());
        ++holes.taken;
      } catch (const Error&) {
      }
      number = kept;
    }
  });
  return holes;
}

TEST(AlteredReport, NoAlteredNumberMakesAFailingReportPass) {
  struct Row {
    const char* what;
    report::Report report;
  };
  std::vector<Row> rows;
  rows.push_back({"everything", full_report(Change::everything)});
  // Failing by one thing alone, so that one figure could be all that is in the way.
  rows.push_back(
      {"one float32 tap, by a few elements",
       judged(report_of(
           {compared(made(
                {"a", tensor::DType::float32, {64, 32}, Content::ordinary, Change::outliers, 7})),
            compared(as_logits(made({"", tensor::DType::float32})))}))});
  rows.push_back(
      {"one bfloat16 tap",
       judged(report_of(
           {compared(made(
                {"a", tensor::DType::bfloat16, {64, 32}, Content::ordinary, Change::outliers, 11})),
            compared(as_logits(made({"", tensor::DType::float32})))}))});
  rows.push_back({"logits and the output that they are of",
                  judged(report_of({compared(as_logits(made({"",
                                                             tensor::DType::float32,
                                                             {2, 3, 40},
                                                             Content::ordinary,
                                                             Change::everything,
                                                             12})))}))});
  rows.push_back(
      {"one int64 tap",
       judged(report_of(
           {compared(
                made({"a", tensor::DType::int64, {40}, Content::ordinary, Change::outliers, 8})),
            compared(as_logits(made({"", tensor::DType::float32})))}))});
  rows.push_back(
      {"NaN and Inf",
       judged(report_of(
           {compared(
                made({"a", tensor::DType::float16, {200}, Content::bits, Change::outliers, 9})),
            compared(as_logits(made({})))}))});
  for (const Row& row : rows) {
    ASSERT_EQ(row.report.exit_code, 1) << row.what;
    const Holes holes = holes_in(row.report);
    EXPECT_GT(holes.tried, 300U) << row.what;
    EXPECT_TRUE(holes.passing.empty()) << row.what << ": " << holes.passing.front();
    // Those that are taken are seconds, bytes, and figures that no other one implies.
    EXPECT_LT(holes.taken * 5, holes.tried) << row.what;
  }
}

}  // namespace
}  // namespace parity::pipeline
