#include "report/json/json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/made_report.h"

namespace parity::report {
namespace {

using Json = nlohmann::json;

Json parsed(const Report& report) { return Json::parse(to_json(report)); }

TEST(ReportJson, HasWhatEachOperatorAddsItself) {
  const Json blame = parsed(report_test::attributed_report()).at("blame").at(0);
  const Json& operators = blame.at("operators");
  ASSERT_EQ(operators.size(), 3U);
  EXPECT_EQ(operators.at(1).at("own_error").at("nrmse"), 0.003);
  EXPECT_EQ(operators.at(1).at("own_error").at("explained"), 3.8e-6);
  EXPECT_TRUE(operators.at(1).at("own_error").at("judged").get<bool>());
  EXPECT_FALSE(operators.at(2).at("own_error").at("judged").get<bool>());
  EXPECT_TRUE(operators.at(2).at("own_error").at("nrmse").is_null());
  EXPECT_EQ(operators.at(2).at("own_error").at("reason"), "it draws random numbers");
  EXPECT_EQ(blame.at("culprit"), (Json{{"index", 1}, {"op", "aten.softmax"}, {"source", ""}}));
  EXPECT_EQ(blame.at("operators_finding"),
            "aten.softmax has an own error of 3.0e-03 where 3.8e-06 is explained");
  EXPECT_TRUE(parsed(report_test::attributed_report()).at("blame").at(1).at("culprit").is_null());
}

TEST(ReportJson, HasTheKeysOfItsSchemaInTheirPlaces) {
  const Json root = parsed(report_test::failing_report());
  EXPECT_EQ(root.at("schema"), "parity-report/1");
  EXPECT_EQ(root.at("verdict"), "fail");
  EXPECT_EQ(root.at("exit_code"), 1);
  EXPECT_EQ(root.at("reference").at("file"), "golden.h5");
  EXPECT_EQ(root.at("reference").at("provenance").at("device.name"), "NVIDIA H200");
  EXPECT_TRUE(root.at("candidate").at("file").is_null()) << "a replay on this host";
  EXPECT_EQ(root.at("environment_diff").size(), 4U);
  EXPECT_EQ(root.at("first_divergence").at("case"), "prompts");
  EXPECT_EQ(root.at("first_divergence").at("tap"),
            "blocks.1.attn/aten.scaled_dot_product_attention");
  EXPECT_TRUE(root.at("blame").is_array());
  EXPECT_EQ(root.at("totals").at("verdicts").at("diverged"), 2);

  const Json& tap = root.at("cases").at(0).at("taps").at(2);
  EXPECT_EQ(tap.at("kind"), "op");
  EXPECT_EQ(tap.at("dtype"), "bfloat16");
  EXPECT_EQ(tap.at("candidate_dtype"), "bfloat16");
  EXPECT_EQ(tap.at("shape"), (std::vector<int>{4, 128, 256}));
  EXPECT_EQ(tap.at("ulp").at("max"), 4711);
  EXPECT_EQ(tap.at("ulp").at("p99"), 300);
  EXPECT_TRUE(tap.at("ulp").at("approximate").get<bool>());
  EXPECT_EQ(tap.at("ulp").at("histogram").at("edges").size(),
            tap.at("ulp").at("histogram").at("counts").size());
  EXPECT_EQ(tap.at("classes").at("finite"), 131072);
  EXPECT_EQ(tap.at("where").at("first"), (std::vector<int>{0, 16, 3}));
  EXPECT_EQ(tap.at("where").at("axes").at(1).at("first"), 64);
  EXPECT_EQ(tap.at("hints").at(0).at("pattern"), "scaled");
  EXPECT_EQ(tap.at("worst").at(0).at("reference_bits"), "0x3f84");
  EXPECT_EQ(tap.at("worst").at(1).at("candidate"), "nan");
  for (const char* later : {"introduced", "truth", "noise"})
    EXPECT_TRUE(tap.at(later).is_null()) << later;

  const Json& logits = root.at("cases").at(0).at("logits");
  EXPECT_EQ(logits.at("positions"), 512);
  EXPECT_EQ(logits.at("topk_overlap").at("5"), 0.99);
  EXPECT_EQ(logits.at("kl").at("max"), "inf");
  EXPECT_EQ(logits.at("first_divergent"), (std::vector<int>{-1, 17, -1, 90}));
  EXPECT_EQ(root.at("cases").at(0).at("more_logits").size(), 1U);
  EXPECT_TRUE(root.at("cases").at(1).at("logits").is_null());
}

TEST(ReportJson, WritesNonFiniteNumbersAsText) {
  const Json root = parsed(report_test::failing_report());
  const Json& tap = root.at("cases").at(0).at("taps").at(3);
  EXPECT_EQ(tap.at("nrmse"), "inf");
  EXPECT_EQ(tap.at("absolute").at("mean_signed"), "-inf");
  EXPECT_EQ(tap.at("cosine"), "nan");
  EXPECT_EQ(tap.at("relative").at("p99"), "inf");
}

TEST(ReportJson, TellsTheReferencesOwnNoise) {
  const Json root = parsed(report_test::noisy_report());
  const Json& taps = root.at("cases").at(0).at("taps");
  EXPECT_EQ(taps.at(0).at("noise").at("repeats"), 4);
  EXPECT_EQ(taps.at(0).at("noise").at("differing"), 0);
  EXPECT_EQ(taps.at(2).at("noise").at("differing"), 3);
  EXPECT_EQ(taps.at(2).at("noise").at("figures").at("nrmse"), 1e-4);
  EXPECT_EQ(taps.at(2).at("noise").at("figures").at("max_error_over_rms"), "inf");
  EXPECT_EQ(root.at("noise_summary").at("first").at("tap"), taps.at(2).at("tap"));
  EXPECT_TRUE(parsed(report_test::failing_report()).at("noise_summary").is_null());
}

TEST(ReportJson, KeepsEveryKeyWhereNothingWasMeasured) {
  const Json root = parsed(report_test::failing_report());
  const Json& measured = root.at("cases").at(0).at("taps").at(0);
  for (const Json& tap : root.at("cases").at(0).at("taps")) {
    for (const auto& [key, value] : measured.items())
      EXPECT_TRUE(tap.contains(key)) << tap.at("tap") << " " << key;
    EXPECT_EQ(tap.size(), measured.size()) << tap.at("tap");
  }
  const Json& shapes = root.at("cases").at(0).at("taps").at(4);
  EXPECT_TRUE(shapes.at("ulp").is_null());
  EXPECT_EQ(shapes.at("shapes").at("candidate"), (std::vector<int>{4, 64}));
}

TEST(ReportJson, NamesBothDtypesWhereNothingCouldBeMeasured) {
  const Json root = parsed(report_test::complex_report());
  const Json& tap = root.at("cases").at(0).at("taps").at(2);
  EXPECT_EQ(tap.at("dtype"), "complex64");
  EXPECT_EQ(tap.at("candidate_dtype"), "float32");
  EXPECT_EQ(tap.at("outcome"), "dtype_differs");
  EXPECT_EQ(tap.at("verdict"), "dtype_differs");
  for (const char* fact : {"ulp", "nrmse", "classes", "worst", "shapes"})
    EXPECT_TRUE(tap.at(fact).is_null()) << fact;
  EXPECT_EQ(root.at("totals").at("verdicts").at("dtype_differs"), 1);
}

TEST(ReportJson, KeepsNumbersExactly) {
  Report report = report_test::identical_report();
  compare::TensorComparison& facts = *report.cases[0].taps[0].facts;
  facts.reference_dtype = facts.candidate_dtype = tensor::DType::float64;
  facts.ulp.max = 0xFFFFFFFFFFFFFFFFU;
  facts.nrmse = 0x1.23456789abcdep-53;
  facts.worst = {{{}, 0.1, 0.30000000000000004, 0x3fb999999999999aU, 0x3fd3333333333334U}};
  const Json tap = parsed(report).at("cases").at(0).at("taps").at(0);
  EXPECT_EQ(tap.at("ulp").at("max").get<std::uint64_t>(), 0xFFFFFFFFFFFFFFFFU);
  EXPECT_EQ(tap.at("nrmse").get<double>(), 0x1.23456789abcdep-53);
  EXPECT_EQ(tap.at("worst").at(0).at("candidate").get<double>(), 0.30000000000000004);
  EXPECT_EQ(tap.at("worst").at(0).at("candidate_bits"), "0x3fd3333333333334");
}

TEST(ReportJson, IsOneDocumentAndTheSameEveryTime) {
  const std::string first = to_json(report_test::failing_report());
  EXPECT_EQ(first, to_json(report_test::failing_report()));
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first.back(), '\n');
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1);
  EXPECT_LT(first.find("\"schema\""), first.find("\"verdict\"")) << "keys in the documented order";
}

TEST(ReportJson, SurvivesNamesThatAreNoUtf8) {
  Report report = report_test::identical_report();
  report.cases[0].taps[0].id.path = "bad\xFF\"\n\\name";
  const Json tap = parsed(report).at("cases").at(0).at("taps").at(0);
  EXPECT_EQ(tap.at("path"), "bad\uFFFD\"\n\\name");
}

TEST(ReportJson, WritesAnEmptyReportThatFails) {
  const Json root = parsed({});
  EXPECT_EQ(root.at("verdict"), "fail");
  EXPECT_EQ(root.at("exit_code"), 1);
  EXPECT_TRUE(root.at("cases").is_array());
  EXPECT_TRUE(root.at("first_divergence").is_null());
}

}  // namespace
}  // namespace parity::report
