// Whether the XML is well-formed and follows the schema is for formats_test.py to say; here it is
// what stands in it.
#include "report/ci/junit.h"

#include <string>

#include <gtest/gtest.h>

#include "report/made_report.h"

namespace parity::report {
namespace {

using report_test::decoded_report;
using report_test::failing_report;
using report_test::hostile_report;
using report_test::identical_report;
using run::Verdict;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// The testcase of that name, with what is in it.
std::string test_named(const std::string& text, const std::string& name) {
  const std::size_t start = text.find("<testcase name=\"" + name + "\"");
  if (start == std::string::npos) return "no " + name;
  const std::size_t line_end = text.find('\n', start);
  if (text[line_end - 2] == '/') return text.substr(start, line_end - start);
  return text.substr(start, text.find("</testcase>", start) - start);
}

TEST(Junit, HasASuitePerCaseAndATestPerTapAndPerLogits) {
  const std::string text = to_junit(failing_report());
  EXPECT_EQ(count(text, "<testsuite "), 2U);
  EXPECT_EQ(count(text, "<testcase "), 12U + 2U + 2U);
  EXPECT_TRUE(has(text,
                  "<testsuites name=\"parity\" tests=\"16\" failures=\"7\" errors=\"1\" "
                  "time=\"0.500\">"))
      << text;
  EXPECT_TRUE(has(text, "<testcase name=\"blocks.0\" classname=\"same\"/>"));
}

TEST(Junit, SaysWhyATapFails) {
  const std::string test =
      test_named(to_junit(failing_report()), "blocks.1.attn/aten.scaled_dot_product_attention");
  for (const char* part :
       {"<failure type=\"diverged\" message=\"diverged: nrmse 0.12 exceeds 0.0312, the fail "
        "bound of bfloat16\">",
        "nrmse 1.2e-01", "ulp p50 2 p99 ~300 max 4711", "5000 of 131072 elements outside",
        "candidate = 0.5 x reference", "worst: [0,16,3] reference 1.031"}) {
    EXPECT_TRUE(has(test, part)) << part << "\n" << test;
  }
}

TEST(Junit, GivesEachVerdictItsElement) {
  const std::string text = to_junit(failing_report());
  EXPECT_TRUE(has(test_named(text, "blocks.3.gone"), "<failure type=\"missing\""));
  EXPECT_TRUE(has(test_named(text, "blocks.9.new"), "<failure type=\"additional\""));
  EXPECT_TRUE(has(test_named(text, "blocks.3.skipped"), "<error type=\"untested\""));
  EXPECT_TRUE(has(test_named(text, "blocks.2.pool"), "<failure type=\"shape_differs\""));
  const std::string suspect = test_named(text, "&lt;output&gt;:logits.0");
  EXPECT_TRUE(has(suspect, "<system-out>suspect: nrmse 0.015")) << suspect;
  EXPECT_FALSE(has(suspect, "<failure"));
  EXPECT_TRUE(has(test_named(text, "logits of &lt;output&gt;:logits.1"), "top-1 agreement 98.00"));
  // A remark on a tap that passes.
  EXPECT_TRUE(has(test_named(text, "wpe"), "<system-out>identical: the reference is the same"));
}

Report suspect_report(Result result) {
  Report report = identical_report();
  report.result = result;
  report.exit_code = result == Result::pass ? 0 : 1;
  report.reasons = {"1 tap suspect, which fails when strict"};
  report.cases[0].result = result;
  report.cases[0].taps[1].verdict = Verdict::suspect;
  return report;
}

TEST(Junit, ASuspectTapFailsOnlyWhereTheCaseFailedForIt) {
  EXPECT_TRUE(has(test_named(to_junit(suspect_report(Result::fail)), "blocks.1"),
                  "<failure type=\"suspect\""));
  EXPECT_FALSE(has(to_junit(suspect_report(Result::pass)), "<failure"));
  Report both = suspect_report(Result::fail);
  both.cases[0].taps[0].verdict = Verdict::diverged;
  EXPECT_TRUE(has(test_named(to_junit(both), "blocks.0"), "<failure type=\"diverged\""));
  EXPECT_FALSE(has(test_named(to_junit(both), "blocks.1"), "<failure"));
}

TEST(Junit, IsRedExactlyWhereTheGateFailed) {
  EXPECT_FALSE(has(to_junit(identical_report()), "<failure"));
  EXPECT_FALSE(has(to_junit(decoded_report()), "<failure"));
  // Nothing at all was compared.
  const std::string empty = to_junit(Report{});
  EXPECT_TRUE(has(empty, "tests=\"1\" failures=\"1\" errors=\"0\"")) << empty;
  EXPECT_TRUE(has(test_named(empty, "gate"), "<failure")) << empty;
  // A case that fails as a whole.
  Report report = identical_report();
  report.result = Result::fail;
  report.cases[0].result = Result::fail;
  EXPECT_TRUE(has(test_named(to_junit(report), "case"), "<failure")) << to_junit(report);
  report.cases[0].untested_output = "the output is a str";
  EXPECT_TRUE(has(test_named(to_junit(report), "output of the model"),
                  "<error type=\"untested\" message=\"the output is a str\">"));
  report.cases[0].taps.clear();
  report.cases[0].untested_output = "";
  EXPECT_TRUE(has(to_junit(report), "nothing was compared"));
}

TEST(Junit, HoldsTheDecodeAsATest) {
  const std::string test = test_named(to_junit(decoded_report()), "decoded tokens");
  EXPECT_TRUE(has(test, "31 of 32 tokens agree")) << test;
  EXPECT_TRUE(has(test, "first divergent token: token 5 (step 4) of row 1")) << test;
}

TEST(Junit, HoldsEnvironmentsAsProperties) {
  const std::string text = to_junit(failing_report());
  for (const char* part :
       {"<property name=\"reference.device.name\" value=\"NVIDIA H200\"/>",
        "<property name=\"environment_diff.switch.fp32_precision\" value=\"tf32 -&gt; ieee\"/>",
        "<property name=\"environment_diff.host.flags\" value=\"(absent) -&gt; xxx",
        "<property name=\"verdict\" value=\"fail\"/>"}) {
    EXPECT_TRUE(has(text, part)) << part;
  }
}

TEST(Junit, KeepsTestsApartWhoseNamesLookAlike) {
  const std::string text = to_junit(hostile_report());
  EXPECT_EQ(count(text, "<testcase name=\"broken\xEF\xBF\xBD(utf8\xEF\xBF\xBD\" "), 1U);
  EXPECT_EQ(count(text, "<testcase name=\"broken\xEF\xBF\xBD(utf8\xEF\xBF\xBD (2)\" "), 1U);
}

}  // namespace
}  // namespace parity::report
