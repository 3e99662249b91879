#include "report/ci/openmetrics.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "report/made_report.h"

namespace parity::report {
namespace {

using report_test::attributed_report;
using report_test::decoded_report;
using report_test::failing_report;
using report_test::hostile_report;
using report_test::identical_report;
using report_test::judged_report;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OpenMetrics, HasTheFiguresOfEveryTap) {
  const std::string text = to_openmetrics(failing_report());
  const std::string labels =
      "{case=\"prompts\",tap=\"blocks.1.attn/aten.scaled_dot_product_attention\"";
  for (const std::string& line :
       {"parity_tap_nrmse" + labels + "} 0.12\n",
        "parity_tap_max_error_over_rms" + labels + "} 0.48\n",
        "parity_tap_ulp" + labels + ",quantile=\"0.99\"} 300",
        "parity_tap_ulp" + labels + ",quantile=\"1\"} 4711\n",
        "parity_tap_verdict" + labels + ",verdict=\"diverged\"} 1\n",
        std::string(
            "parity_tap_verdict{case=\"prompts\",tap=\"blocks.3.gone\",verdict=\"missing\"} "
            "1\n"),
        std::string(
            "parity_case_passed{case=\"prompts\"} 0\nparity_case_passed{case=\"same\"} 1\n"),
        std::string("parity_logits_decided_flips{case=\"prompts\",tap=\"<output>:logits.0\"} 0\n"),
        std::string("parity_gate_passed 0\n"), std::string("parity_taps{state=\"failed\"} 8\n")}) {
    EXPECT_TRUE(has(text, "\n" + line)) << line << text;
  }
  EXPECT_FALSE(has(text, "parity_tap_nrmse{case=\"prompts\",tap=\"blocks.3.gone\""));
}

TEST(OpenMetrics, NamesTheUnitAtTheEndOfTheFamily) {
  const std::string text = to_openmetrics(failing_report());
  EXPECT_TRUE(has(text,
                  "# TYPE parity_logits_kl_mean_nats gauge\n# UNIT parity_logits_kl_mean_nats "
                  "nats\n# HELP parity_logits_kl_mean_nats "));
  EXPECT_TRUE(has(text, "# UNIT parity_run_seconds seconds\n"));
  EXPECT_TRUE(has(text, "parity_run_seconds 0.5\n"));
}

TEST(OpenMetrics, LeavesNanOutAndKeepsInfinity) {
  Report report = failing_report();
  report.cases[0].taps[2].facts->nrmse = std::numeric_limits<double>::quiet_NaN();
  const std::string text = to_openmetrics(report);
  EXPECT_FALSE(has(text, "nan")) << text;
  EXPECT_TRUE(has(text, "parity_tap_nrmse{case=\"prompts\",tap=\"blocks.1.mlp\"} +Inf\n"));
  EXPECT_FALSE(has(
      text,
      "parity_tap_nrmse{case=\"prompts\",tap=\"blocks.1.attn/aten.scaled_dot_product_attention\""));
}

TEST(OpenMetrics, HasWhatOnlySomeReportsHave) {
  EXPECT_TRUE(has(to_openmetrics(attributed_report()),
                  "parity_tap_introduced_nrmse{case=\"prompts\",tap=\"wpe\"} 0\n"));
  EXPECT_TRUE(has(to_openmetrics(judged_report()),
                  "parity_tap_truth_ratio{case=\"prompts\",tap=\"wpe\"} 0.25\n"));
  const std::string decoded = to_openmetrics(decoded_report());
  EXPECT_TRUE(has(decoded, "parity_decode_tokens{case=\"same\"} 34\n"));
  EXPECT_TRUE(has(decoded, "parity_decode_agreeing_tokens{case=\"same\"} 31\n"));
  const std::string identical = to_openmetrics(identical_report());
  for (const char* family : {"introduced", "truth", "logits", "decode"})
    EXPECT_FALSE(has(identical, family)) << family;
  EXPECT_TRUE(has(identical, "parity_gate_passed 1\n"));
  EXPECT_TRUE(has(identical, "parity_same_device 1\n"));
}

TEST(OpenMetrics, EndsWithItsMark) {
  for (const Report& report : {Report{}, identical_report(), hostile_report()}) {
    const std::string text = to_openmetrics(report);
    EXPECT_EQ(text.find("\n# EOF\n"), text.size() - 7);
  }
}

TEST(OpenMetrics, EscapesLabels) {
  const std::string text = to_openmetrics(hostile_report());
  for (const char* part : {"tap=\"a\xEF\xBF\xBD"
                           "b|c`d\\\\|e\"",
                           "&amp;\\\"\"", "tap=\"{quantile=\\\"0\\\"} 1\xEF\xBF\xBD# EOF\"",
                           "tap=\"broken\xEF\xBF\xBD(utf8\xEF\xBF\xBD (2)\""}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace parity::report
