// A decode in the table and in JSON: which tokens agree, and which steps are shown.
#include "report/terminal/decode_section.h"

#include <string>

#include <gtest/gtest.h>

#include "report/json/json.h"
#include "report/json/json_number.h"
#include "report/made_report.h"
#include "report/terminal/table.h"

namespace parity::report {
namespace {

using report_test::decoded_report;

std::string table(const Report& report, Show show, int width) {
  TableOptions options;
  options.show = show;
  options.width = width;
  return to_table(report, options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json parsed(const Report& report) { return Json::parse(to_json(report)); }

TEST(DecodeSection, SaysWhichTokensOfADecodeAgree) {
  const std::string text = table(decoded_report(), Show::failing, 200);
  EXPECT_TRUE(has(text,
                  "decode 16 steps of 2 rows: 31 of 32 tokens agree; 2 could not be compared; "
                  "first divergent token: token 5 (step 4) of row 1, 318 -> 262, margin "
                  "1.2e-03 (undecided)"))
      << text;
  EXPECT_TRUE(has(text, "logits of all steps: suspect; 1 of 16 steps pass")) << text;
  EXPECT_TRUE(has(text, "top1_agreement 0.969 is below 0.99")) << text;
  Report agreed = decoded_report();
  agreed.cases[0].decode->rows = 1;
  agreed.cases[0].decode->tokens = agreed.cases[0].decode->compared = 17;
  agreed.cases[0].decode->agree = 17;
  agreed.cases[0].decode->first_divergent.reset();
  EXPECT_TRUE(
      has(table(agreed, Show::failing, 200), "\n  decode 16 steps: 17 of 17 tokens agree\n"));
}

TEST(DecodeSection, ShowsTheFirstStepsOfADecodeThatDoNotPass) {
  const std::string text = table(decoded_report(), Show::failing, 200);
  EXPECT_TRUE(has(text, "logits <output>: within")) << "the prompt's\n" << text;
  EXPECT_FALSE(has(text, "logits <output>#1:")) << text;
  EXPECT_TRUE(has(text, "logits <output>#2: suspect")) << text;
  EXPECT_TRUE(has(text, "logits <output>#6: suspect")) << text;
  EXPECT_FALSE(has(text, "logits <output>#7:")) << text;
  const std::string all = table(decoded_report(), Show::all, 200);
  EXPECT_TRUE(has(all, "logits <output>#1: within")) << all;
  EXPECT_TRUE(has(all, "logits <output>#8: suspect")) << all;
}

TEST(DecodeSection, MarksADecodeThatDivergesAlone) {
  Report report = decoded_report();
  report.cases[0].decode->verdict = run::Verdict::diverged;
  report.first_divergence = {"same", report.cases[0].decode->id};
  EXPECT_TRUE(has(table(report, Show::failing, 200), "→ decode 16 steps"));
}

TEST(DecodeSection, GivesJsonTheFirstTokenThatDiffers) {
  const Json decode = parsed(decoded_report()).at("cases").at(0).at("decode");
  EXPECT_EQ(decode.at("steps"), 16);
  EXPECT_EQ(decode.at("rows"), 2);
  EXPECT_EQ(decode.at("tokens"), 34);
  EXPECT_EQ(decode.at("compared"), 32);
  EXPECT_EQ(decode.at("agree"), 31);
  const Json& first = decode.at("first_divergent");
  EXPECT_EQ(first.at("token"), 5);
  EXPECT_EQ(first.at("step"), 4);
  EXPECT_EQ(first.at("row"), 1);
  EXPECT_EQ(first.at("reference"), 318);
  EXPECT_EQ(first.at("candidate"), 262);
  EXPECT_EQ(first.at("margin"), 0.0012);
  EXPECT_EQ(first.at("decided"), false);
  EXPECT_EQ(decode.at("verdict"), "suspect");
  EXPECT_EQ(decode.at("kl").at("max"), "inf");
  EXPECT_TRUE(parsed(report_test::failing_report()).at("cases").at(0).at("decode").is_null());
}

}  // namespace
}  // namespace parity::report
