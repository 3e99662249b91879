#include "report/ci/annotations.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/made_report.h"
#include "report/terminal/table.h"

namespace parity::report {
namespace {

using report_test::decoded_report;
using report_test::failing_report;
using report_test::hostile_report;
using report_test::identical_report;
using report_test::measured_tap;

std::vector<std::string> lines_of(const Report& report) {
  std::vector<std::string> lines;
  std::istringstream stream(to_annotations(report));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool begins(const std::string& text, const std::string& part) { return text.rfind(part, 0) == 0; }

TEST(Annotations, LeadWithTheVerdictAndTheFirstDivergence) {
  const std::vector<std::string> lines = lines_of(failing_report());
  ASSERT_GE(lines.size(), 3U);
  EXPECT_TRUE(begins(lines[0], "::error title=parity%3A gate failed::1 tap missing; ")) << lines[0];
  EXPECT_TRUE(has(lines[0],
                  "First divergence: blocks.1.attn/aten.scaled_dot_product_attention in case "
                  "prompts"))
      << lines[0];
  EXPECT_TRUE(begins(lines[1],
                     "::error title=parity%3A blocks.1.attn/aten.scaled_dot_product_attention "
                     "diverged::case prompts: nrmse 0.12 exceeds 0.0312"))
      << lines[1];
  EXPECT_TRUE(has(lines[1], "76.29 %25 exact")) << lines[1];
}

TEST(Annotations, AreTenAtMost) {
  Report report = failing_report();
  for (int i = 0; i < 30; ++i)
    report.cases[1].taps.push_back(measured_tap("x", 0.5, run::Verdict::diverged));
  EXPECT_EQ(lines_of(report).size(), 10U);
}

TEST(Annotations, NoticeWarningsOfAGateThatPassed) {
  Report report = decoded_report();
  report.devices = Devices::different;
  const std::vector<std::string> lines = lines_of(report);
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_TRUE(begins(lines[0], "::notice title=parity%3A passed with warnings::")) << lines[0];
  for (const std::string& line : lines) EXPECT_TRUE(begins(line, "::notice ")) << line;
}

TEST(Annotations, SayNothingWhereThereIsNothingToSay) {
  Report report = identical_report();
  report.devices = Devices::different;
  EXPECT_EQ(to_annotations(report), "");
  EXPECT_EQ(lines_of(Report{}).size(), 1U);
}

TEST(Annotations, SayOfADeviceAgainstItselfThatItIs) {
  EXPECT_EQ(to_annotations(identical_report()),
            "::notice title=parity%3A self-comparison::same device on both sides, says nothing "
            "about another vendor\n");
  Report report = decoded_report();
  std::vector<std::string> lines = lines_of(report);
  ASSERT_EQ(lines.size(), 10U) << "GitHub drops what goes beyond ten of a kind";
  EXPECT_TRUE(begins(lines.back(), "::notice title=parity%3A self-comparison::")) << lines.back();
  report.result = Result::fail;
  for (int i = 0; i < 30; ++i)
    report.cases[0].taps.push_back(measured_tap("x", 0.5, run::Verdict::diverged));
  lines = lines_of(report);
  EXPECT_EQ(lines.size(), 11U) << "ten errors and a notice";
  EXPECT_TRUE(begins(lines.back(), "::notice ")) << lines.back();
}

TEST(Annotations, TellWarningsFromFailuresUnlessTheRunIsStrict) {
  Report report = identical_report();
  report.result = Result::fail;
  report.cases[0].taps[0].verdict = run::Verdict::suspect;
  EXPECT_TRUE(begins(lines_of(report).at(1), "::error ")) << lines_of(report).at(1);
  report.cases[0].taps[1].verdict = run::Verdict::diverged;
  EXPECT_TRUE(begins(lines_of(report).at(1), "::error title=parity%3A blocks.1 diverged"));
  EXPECT_TRUE(begins(lines_of(report).at(2), "::warning title=parity%3A blocks.0 suspect"));
}

TEST(Annotations, EscapeWhatWouldEndThem) {
  for (const std::string& line : lines_of(hostile_report())) {
    ASSERT_TRUE(begins(line, "::error title=") || begins(line, "::warning title=")) << line;
    const std::size_t title = line.find('=') + 1;
    const std::string property = line.substr(title, line.find("::", title) - title);
    EXPECT_EQ(property.find_first_of(":,"), std::string::npos) << line;
    for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1)) {
      const std::string code = line.substr(at, 3);
      EXPECT_TRUE(code == "%25" || code == "%3A" || code == "%2C") << line;
    }
  }
  EXPECT_TRUE(has(to_annotations(hostile_report()), "title=x::y%250A%2525"));
}

TEST(Annotations, AreTheOnlyCommandsInALog) {
  const std::string joiner = "\xE2\x81\xA0";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"::stop-commands::x\n", ":" + joiner + ":stop-commands::x\n"},
      {"a\n   ::error::x", "a\n   :" + joiner + ":error::x"},
      {"a ::error::x", "a ::error::x"},
      {"a ##[error]x", "a #" + joiner + "#[error]x"},
      {"a\n: :\n", "a\n: :\n"},
      {"", ""}};
  for (const auto& [text, shown] : rows) EXPECT_EQ(without_commands(text), shown);
  // Without colours a row is its name behind two spaces.
  Report report = identical_report();
  report.cases[0].taps[0].id.path = "::stop-commands::x";
  const std::string table = to_table(report, TableOptions{});
  EXPECT_TRUE(has(table, "\n  ::stop-commands::x")) << table;
  EXPECT_FALSE(has(without_commands(table), "\n  ::")) << table;
}

}  // namespace
}  // namespace parity::report
