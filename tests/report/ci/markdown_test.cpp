#include "report/ci/markdown.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/ci/markdown_text.h"
#include "report/made_report.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

using report_test::attributed_report;
using report_test::decoded_report;
using report_test::failing_report;
using report_test::hostile_report;
using report_test::identical_report;
using report_test::judged_report;
using report_test::measured_tap;
using report_test::noisy_report;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MarkdownText, KeepsCodeInItsSpanAndItsCell) {
  constexpr int kWide = 1000;
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"blocks.0.attn", "`blocks.0.attn`"},
      {"<output>#1", "`<output>#1`"},
      {"a|b",
       "`a\xC2\xA6"
       "b`"},
      {"a\\|b",
       "`a\\\xC2\xA6"
       "b`"},
      {"``x```", "`\xCB\x8B\xCB\x8Bx\xCB\x8B\xCB\x8B\xCB\x8B`"},
      {"a\nb",
       "`a\xEF\xBF\xBD"
       "b`"},
      {"", "(empty)"},
      {"  ", "(empty)"}};
  for (const auto& [raw, shown] : rows) EXPECT_EQ(markdown_code(raw, kWide), shown) << raw;
  EXPECT_EQ(markdown_code("abcdef", 4), "`abc\xE2\x80\xA6`");
}

TEST(MarkdownText, TakesTheMeaningFromProse) {
  constexpr int kWide = 1000;
  const std::string joiner = "\xE2\x81\xA0";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"nrmse 0.12 exceeds 0.0312", "nrmse 0.12 exceeds 0.0312"},
      {"100 % of 5000, 3: x", "100 % of 5000, 3: x"},
      {"a|b", "a&#124;b"},
      {"<b>&amp;", "&lt;b&gt;&amp;" + joiner + "amp;"},
      {"*x* _y_ `z`", "\\*x\\* \\_y\\_ \\`z\\`"},
      {"[a](b)", "\\[a\\](b)"},
      {"![a](b)", "\\!" + joiner + "\\[a\\](b)"},
      {"@octocat", "@" + joiner + "octocat"},
      {"x#12", "x\\#" + joiner + "12"},
      {"https://e.org", "https:" + joiner + "//e.org"},
      {"www.e.org", "www\\." + joiner + "e.org"},
      {"GH-12", "GH-" + joiner + "12"},
      {"a\\", "a\\\\"},
      {"~~x~~", "\\~" + joiner + "\\~" + joiner + "x\\~" + joiner + "\\~"},
      {"$x$", "&#36;" + joiner + "x&#36;"},
      {"- x", "\\- x"},
      {"+ x", "\\+ x"},
      {"12. x", "12\\. x"},
      {"12.5 x", "12.5 x"},
      {"# x", "\\# x"}};
  for (const auto& [raw, shown] : rows) EXPECT_EQ(markdown_prose(raw, kWide), shown) << raw;
}

TEST(Markdown, LeadsWithTheVerdictAndTheFirstDivergence) {
  const std::string text = to_markdown(failing_report());
  EXPECT_EQ(text.rfind("## parity: FAIL\n\n**FAIL**, exit code 1: 1 tap missing; 1 tap with NaN or "
                       "Inf on one side only; 2 taps diverged\n\n- Note: 1 tap "
                       "was skipped: its value is a str\n- **First divergence:** "
                       "`blocks.1.attn/aten.scaled_dot_product_attention` in case `prompts`: nrmse "
                       "0.12 exceeds 0.0312, the fail bound of bfloat16\n",
                       0),
            0U)
      << text;
  EXPECT_TRUE(has(text, "bfloat16\n  - Where: 5000 of 131072 elements outside (3.81 %")) << text;
  EXPECT_TRUE(has(text,
                  "; axis 2 = 64 (of 256; 96.00 % of the excess)\n  - Pattern (scaled): candidate "
                  "= 0.5 x reference in 100 % of 5000 elements\n"))
      << text;
}

TEST(Markdown, NamesTheBlameTheTruthAndTheNoise) {
  const std::string blamed = to_markdown(attributed_report());
  EXPECT_TRUE(has(blamed, "- **Attribution:** `wpe` introduces the difference\n")) << blamed;
  EXPECT_TRUE(has(blamed, "- **Operator:** `wpe`: `aten.softmax` has an own error")) << blamed;
  EXPECT_TRUE(
      has(blamed,
          "  - `blocks.1.attn/aten.scaled_dot_product_attention` introduces nrmse 1.2e-01 by "
          "itself, 3.8e-06 explained by rounding: 25.00 % of what is unexplained (case "
          "`prompts`)\n"))
      << blamed;
  EXPECT_FALSE(has(blamed, "`wpe` introduces nrmse")) << "said above";
  EXPECT_TRUE(has(to_markdown(judged_report()), "- **Truth:** the reference is the worse side\n"));
  EXPECT_TRUE(
      has(to_markdown(noisy_report()), "- **Noise:** the reference is not deterministic\n"));
  EXPECT_TRUE(has(to_markdown(decoded_report()),
                  "- **Decode** of case `same`: 31 of 32 tokens "
                  "agree"));
}

TEST(Markdown, PutsSwitchesFirstAmongWhatDiffers) {
  const std::string text = to_markdown(failing_report());
  const std::size_t changed =
      text.find("| `switch.fp32_precision` | `tf32` | `ieee` | **changes numbers** |");
  ASSERT_NE(changed, std::string::npos) << text;
  EXPECT_LT(changed, text.find("| `device.name` |"));
  EXPECT_TRUE(has(text, "| `host.flags` | (absent) | `xxx")) << text;
}

TEST(Markdown, FoldsWhatDiffersWhereNoSwitchExplainsNumbers) {
  EXPECT_FALSE(has(to_markdown(failing_report()), "<details>"));
  Report report = failing_report();
  report.reference.provenance.set("device.type", "cuda");
  report.candidate.provenance.set("device.type", "cpu");
  report.environment_diff = {{"device.type", "cuda", "cpu"}, {"switch.threads", "16", "2"}};
  const std::string text = to_markdown(report);
  EXPECT_TRUE(has(text,
                  "<details><summary>What differs in the environments: 2 facts, no switch "
                  "that changes numbers</summary>\n\n|"))
      << text;
  EXPECT_TRUE(has(text,
                  "| `switch.threads` | `16` | `2` |  |\n| `device.type` | `cuda` | `cpu` | "
                  "**what is compared** |\n\n</details>\n"))
      << text;
  report.reference.provenance.set("device.type", "cpu");
  EXPECT_TRUE(has(to_markdown(report), "| `switch.threads` | `16` | `2` | **changes numbers** |"));
  report.reference.provenance.set("device.type", "cuda");
  report.environment_diff.resize(1);
  for (int i = 0; i < 30; ++i) report.environment_diff.push_back({"host.flags", "x", "y"});
  const std::string cut = to_markdown(report, 2500);
  EXPECT_TRUE(has(cut, "\n</details>\n\n*Cut here")) << cut;
}

TEST(Markdown, SaysWhetherAUserWouldNotice) {
  const std::string text = to_markdown(failing_report());
  EXPECT_TRUE(has(text,
                  "- **Would a user notice?** Hardly: at 20 of 1024 positions another token is "
                  "best, all of them close calls"))
      << text;
  EXPECT_TRUE(has(text, "KL 3.1e-06 nat on average")) << text;
  EXPECT_TRUE(has(text, ", recorded from `model.pt`, **candidate:**")) << text;
  EXPECT_TRUE(has(to_markdown(identical_report()), "Not known from tokens")) << text;
}

TEST(Markdown, ListsALayerOnceWithItsWorstCaseAndThoseToBlameFirst) {
  Report report = attributed_report();
  report.attribution->blame.at(0).tap = report.cases[0].taps.at(1).id;
  report.cases.push_back(report.cases[0]);
  report.cases.back().name = "again";
  report.cases.back().taps.at(2).facts->nrmse = 0.5;
  const std::string text = to_markdown(report);
  const std::string rows = text.substr(text.find("### Worst layers"));
  EXPECT_LT(rows.find("| `blocks.0.attn` "), rows.find("| `blocks.1.mlp` "));
  EXPECT_EQ(rows.find("| `blocks.1.mlp` "), rows.rfind("| `blocks.1.mlp` ")) << rows;
  EXPECT_TRUE(has(rows, "introduced: the nrmse of a layer")) << rows;
}

TEST(MarkdownText, ShowsNamesInProseAsCode) {
  constexpr int kWide = 1000;
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"model.layers.2.down_proj introduces 1.5, see kl.mean.",
       "`model.layers.2.down_proj` introduces 1.5, see kl.mean."},
      {"(max_error; a_b)", "(`max_error`; `a_b`)"},
      {"www.e.org", "`www.e.org`"},
      {"*a.b* x", "\\*a.b\\* x"},
      {"no names, 4.0e-02", "no names, 4.0e-02"}};
  for (const auto& [raw, shown] : rows) EXPECT_EQ(markdown_sentence(raw, kWide), shown) << raw;
}

TEST(Markdown, ListsCasesThatFailFirst) {
  Report report = failing_report();
  std::swap(report.cases[0], report.cases[1]);
  const std::string text = to_markdown(report);
  EXPECT_LT(text.find("| `prompts` | **FAIL** | 12 | 1 | 8 |"), text.find("| `same` | PASS | 2 |"))
      << text;
  EXPECT_TRUE(has(text, "| 98.00 | 0 | 3.1e-06 |")) << text;
}

TEST(Markdown, SaysThatNothingWasCompared) {
  EXPECT_TRUE(has(to_markdown(Report{}), "No case was compared."));
  const std::string text = to_markdown(identical_report());
  EXPECT_TRUE(has(text, "**PASS**, exit code 0: every tap is identical")) << text;
  EXPECT_FALSE(has(text, "### Worst")) << text;
}

TEST(Markdown, GivesTheCommandAsItWasTyped) {
  EXPECT_TRUE(has(to_markdown(failing_report()),
                  "\n\n    parity compare golden.h5 --model 'my model.pt' --device cpu"));
}

Report large_report() {
  Report report = hostile_report();
  for (int i = 0; i < 3000; ++i) {
    Case item;
    item.name = std::string(200, '<') + std::to_string(i);
    item.taps = {measured_tap(std::string(500, '*'), 0.5, run::Verdict::diverged)};
    item.taps[0].reasons = {std::string(500, '|')};
    report.cases.push_back(item);
    report.environment_diff.push_back({std::string(300, '_'), std::string(300, '&'), "x"});
  }
  return report;
}

TEST(Markdown, FitsIntoACommentAndSaysWhatIsCut) {
  const Report report = large_report();
  EXPECT_LE(to_markdown(report).size(), kLongestComment);
  for (const std::size_t most : {300U, 2000U, 5000U, 20000U}) {
    const std::string text = to_markdown(report, most);
    EXPECT_LE(text.size(), most);
    EXPECT_EQ(text.rfind("## parity: FAIL\n", 0), 0U);
    EXPECT_EQ(text.substr(text.size() - 26), "`--json`) has all of it.*\n") << text;
    // A cut is between lines: no row of a table is half there.
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(line.empty() || line[0] != '|' || line.back() == '|') << line;
  }
  EXPECT_FALSE(has(to_markdown(failing_report()), "Cut here"));
}

TEST(WorstTaps, BeginWithTheFirstDivergenceThenFailuresByError) {
  const Report report = failing_report();
  const std::vector<WorstTap> worst = worst_taps(report, 100);
  ASSERT_EQ(worst.size(), 11U);
  EXPECT_EQ(worst[0].tap->id.path, "blocks.1.attn");
  EXPECT_EQ(worst[1].tap->id.path, "blocks.1.mlp");
  EXPECT_EQ(worst[7].tap->verdict, run::Verdict::dtype_differs);
  EXPECT_EQ(worst[8].tap->verdict, run::Verdict::suspect);
  EXPECT_EQ(worst[9].tap->verdict, run::Verdict::within);
  EXPECT_EQ(worst_taps(report, 3).size(), 3U);
  EXPECT_TRUE(worst_taps(identical_report(), 10).empty());
}

}  // namespace
}  // namespace parity::report
