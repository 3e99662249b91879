#include "report/terminal/table.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/made_report.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using report_test::attributed_report;
using report_test::complex_report;
using report_test::failing_report;
using report_test::identical_report;
using report_test::judged_report;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string table(const Report& report, Show show, int width) {
  TableOptions options;
  options.show = show;
  options.width = width;
  return to_table(report, options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The first line that holds `part`, "" when there is none.
std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    if (has(line, part)) return line;
  }
  return {};
}

TEST(Table, HoldsAllColumnsAtFullWidth) {
  const std::string text = table(failing_report(), Show::all, 200);
  const std::string titles = line_with(text, "ulp max");
  for (const char* title : {"layer", "dtype", "shape", "ulp p50", "ulp p99", "ulp max", "rel p99",
                            "rel max", "exact %", "nrmse", "verdict", "ulp hist"}) {
    EXPECT_TRUE(has(titles, title)) << title << " in " << titles;
  }
  const std::string row =
      line_with(text, "→ blocks.1.attn/aten.scaled_dot_product_attention  bfloat16");
  for (const char* cell :
       {"4x128x256", "2 ", "~300", "4711", "~1.2e-01", "76.29", "diverged", "█▁▂▁▁..."}) {
    EXPECT_TRUE(has(row, cell)) << cell << " in " << row;
  }
}

TEST(Table, SaysWhichLayerCreatesTheDifference) {
  const std::string text = table(attributed_report(), Show::all, 200);
  EXPECT_TRUE(has(line_with(text, "ulp max"), "introduced"));
  EXPECT_TRUE(has(line_with(text, "attribution "), "introduces the difference"));
  EXPECT_TRUE(has(line_with(text, "introduces 2.5e-01"), "75.00 %"))
      << line_with(text, "introduces ");
  EXPECT_TRUE(has(line_with(text, "computed there by "), "aten.mul (model.py:7), aten.softmax"));
  EXPECT_TRUE(has(line_with(text, "culprit "), "culprit wpe / aten.softmax has an own error"))
      << line_with(text, "culprit ");
  EXPECT_TRUE(has(line_with(text, "blocks.*.attn"), "2 taps, nrmse up to"));
  EXPECT_FALSE(has(table(failing_report(), Show::all, 200), "attribution "));
  EXPECT_TRUE(has(table(attributed_report(), Show::summary, 80), "attribution "));
}

TEST(Table, SaysWhatItFoundAboutOperatorsOfWhichNoneIsTheCulprit) {
  Report report = attributed_report();
  report.attribution->blame.at(0).culprit.reset();
  report.attribution->blame.at(0).operators_sentence = "every operator is within rounding";
  const std::string text = table(report, Show::summary, 80);
  EXPECT_TRUE(has(line_with(text, "operators "), "operators every operator is within rounding"));
  EXPECT_FALSE(has(text, "culprit "));
}

TEST(Table, SaysWhichSideIsNearerToTheTruth) {
  const std::string text = table(judged_report(), Show::all, 200);
  EXPECT_TRUE(has(line_with(text, "truth      "), "float64, recorded in truth.h5"));
  EXPECT_TRUE(has(line_with(text, "ulp max"), "to truth"));
  EXPECT_TRUE(has(line_with(text, "blocks.0.attn"), "2.5e-01"));
  EXPECT_TRUE(has(line_with(text, "blocks.1.attn/"), "closer"));
  EXPECT_TRUE(has(text,
                  "against the float64 truth: nrmse 5.0e-01 of the reference, 1.2e-01 of the "
                  "candidate"));
  EXPECT_TRUE(has(text, "KL from the truth: mean 5.0e-01 nat of the reference, 2.5e-01 of the"));
  EXPECT_TRUE(has(text, "to truth: candidate's nrmse"));
  EXPECT_TRUE(has(text, "the reference is the worse side"));
  EXPECT_FALSE(has(table(failing_report(), Show::all, 200), "truth"));
  EXPECT_TRUE(has(table(judged_report(), Show::summary, 80), "the reference is the worse side"));
}

TEST(Table, ListsEveryCaseWithAVerdictOfItsOwn) {
  report::Report report = failing_report();
  ASSERT_GE(report.cases.size(), 2U);
  report.cases[1].result = Result::pass;
  const std::string text = table(report, Show::summary, 120);
  EXPECT_TRUE(has(line_with(text, "→ prompts"), "FAIL")) << text;
  EXPECT_TRUE(has(line_with(text, "  " + report.cases[1].name + "  "), "PASS")) << text;
  report.cases.resize(1);
  EXPECT_FALSE(has(table(report, Show::summary, 120), "→ prompts"));
}

TEST(Table, NamesANondeterministicReferenceBeforeAnyCase) {
  report::Report noisy = report_test::noisy_report();
  const std::string text = table(noisy, Show::all, 200);
  EXPECT_TRUE(has(line_with(text, "noise      "), "the reference is not deterministic"));
  EXPECT_LT(text.find("noise      "), text.find("case "));
  noisy.noise = NoiseSummary{1, 12, 0, std::nullopt, ""};
  EXPECT_TRUE(has(table(noisy, Show::all, 200),
                  "none: every tap of the reference has the same bits in 2 runs of it"));
  EXPECT_FALSE(has(table(failing_report(), Show::all, 200), "noise "));
}

TEST(Table, FitsEveryWidthAndKeepsTheVerdicts) {
  for (const Report& report :
       {failing_report(), identical_report(), complex_report(), attributed_report(), Report{}}) {
    for (const Show show : {Show::all, Show::failing, Show::summary}) {
      for (const int width : {60, 61, 66, 73, 80, 97, 100, 120, 163, 200, 400}) {
        const std::string text = table(report, show, width);
        for (const std::string& line : lines_of(text)) {
          EXPECT_LE(display_width(line), width) << line;
          EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
        }
        const std::string end = text.substr(text.rfind("\nverdict "));
        EXPECT_TRUE(has(end, ", exit code ")) << end;
        EXPECT_FALSE(has(end, "\n\n")) << "something after the verdict: " << end;
      }
    }
  }
  const std::string narrow = table(failing_report(), Show::all, 80);
  EXPECT_TRUE(has(line_with(narrow, "blocks.1.mlp"), "non_finite")) << narrow;
  EXPECT_FALSE(has(narrow, "ulp hist")) << "dropped, title and legend";
  EXPECT_TRUE(has(narrow, "→ blocks.1.attn/…"))
      << "the long name is shortened, its block still there\n"
      << narrow;
  EXPECT_TRUE(has(line_with(narrow, "ulp max"), "nrmse")) << narrow;
}

TEST(Table, FitsEveryWidthWhateverIsLong) {
  std::string name;
  for (int i = 0; i < 40; ++i) name += "層.blocks";
  Report report = failing_report();
  report.model_file = name;
  report.reference.file = name;
  report.reference.provenance.set("device.name", name);
  report.environment_diff.push_back({"switch." + name, name, name});
  report.policy_name = name;
  report.policy_bounds.push_back({name, name, 0.1, 0.2, name});
  report.notes = report.reasons = {name};
  report.cases[0].name = name;
  for (Tap& tap : report.cases[0].taps) {
    tap.id.path = tap.id.op = tap.dtype = tap.candidate_dtype = name;
    tap.shape.assign(64, 1048576);
    tap.reasons = {name};
    if (tap.facts) tap.facts->hints = {{name, name}};
  }
  report.first_divergence = {name, report.cases[0].taps[2].id};
  for (const Show show : {Show::all, Show::failing, Show::summary}) {
    for (const int width : {60, 61, 80, 100, 400}) {
      for (const std::string& line : lines_of(table(report, show, width)))
        EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(Table, TreatsWidthsOutsideItsRangeAsTheNearestInside) {
  Report report = failing_report();
  report.environment_diff[3].candidate = std::string(900, 'x');  // cut at every width
  const auto at = [&](int width) { return table(report, Show::all, width); };
  EXPECT_EQ(at(10), at(60));
  EXPECT_NE(at(60), at(61));
  EXPECT_NE(at(399), at(400));
  EXPECT_EQ(at(1000), at(400));
}

TEST(Table, PutsNumericSwitchesFirstAmongTheDifferences) {
  const std::string text = table(failing_report(), Show::all, 120);
  const std::size_t precision = text.find("! switch.fp32_precision  tf32 -> ieee  changes numbers");
  ASSERT_NE(precision, std::string::npos) << text;
  EXPECT_LT(precision, text.find("device.name"));
  EXPECT_TRUE(has(text, "host.flags")) << text;
  EXPECT_TRUE(has(text, "(absent) -> xxx")) << text;
  const std::string summary = table(failing_report(), Show::summary, 120);
  EXPECT_TRUE(has(summary, "switch.fp32_precision"));
  EXPECT_FALSE(has(summary, "host.flags"));
  EXPECT_TRUE(has(summary, "3 other differences (--show failing lists them)")) << summary;
}

TEST(Table, NamesBothDevicesAndASelfComparison) {
  const std::string cross = table(failing_report(), Show::summary, 120);
  EXPECT_TRUE(has(cross, "reference  NVIDIA H200 (nvidia), recorded in golden.h5")) << cross;
  EXPECT_TRUE(has(cross, "candidate  AMD EPYC 9654 96-Core Processor (amd), replayed on this host"))
      << cross;
  EXPECT_FALSE(has(cross, "SELF-COMPARISON"));
  EXPECT_TRUE(has(table(identical_report(), Show::summary, 120),
                  "SELF-COMPARISON: same device on both sides"));
}

TEST(Table, ExplainsFailingTaps) {
  const std::string text = table(failing_report(), Show::failing, 200);
  for (const char* part :
       {"nrmse 0.12 exceeds 0.0312, the fail bound of bfloat16",
        "5000 of 131072 elements outside (3.81 %)", "first at [0,16,3]",
        "axis 1 >= 16 (of 128; 100 % of the excess)", "axis 2 = 64 (of 256; 96.00 % of the excess)",
        "hint (scaled): candidate = 0.5 x reference in 100 % of 5000 elements",
        "worst: [0,16,3] reference 1.031 (0x3f84) candidate 0.5156 (0x3f04)",
        "worst: [0,17,3] reference 2 (0x4000) candidate nan (0x7fc0)",
        "7 NaN in the candidate only", "the reference has shape 4x33, the candidate 4x64",
        "missing in the candidate (1): blocks.3.gone",
        "additional in the candidate (1): blocks.9.new", "taps changed the output",
        "noted: wpe: the reference is the same value everywhere here"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(has(text, "[1,2,4]")) << "a fourth element where three were asked for";
}

TEST(Table, ListsAsManyWorstElementsAsAskedFor) {
  TableOptions options;
  options.top = 1;
  EXPECT_FALSE(has(to_table(failing_report(), options), "[0,17,3]"));
  options.top = 100;
  EXPECT_TRUE(has(to_table(failing_report(), options), "[1,2,4]"));
  options.top = 0;
  EXPECT_FALSE(has(to_table(failing_report(), options), "worst:"));
}

TEST(Table, HidesPassingTapsButSaysHowMany) {
  const std::string all = table(failing_report(), Show::all, 120);
  EXPECT_TRUE(has(all, "\n  blocks.0.attn "));
  EXPECT_FALSE(has(all, "hidden"));
  const std::string failing = table(failing_report(), Show::failing, 120);
  EXPECT_FALSE(has(failing, "\n  blocks.0.attn "));
  EXPECT_TRUE(has(failing, "3 taps pass and are hidden (--show all lists them)")) << failing;
  EXPECT_TRUE(has(failing, "\n  <output>:logits.0 ")) << "a suspect tap is not hidden";
  const std::string summary = table(failing_report(), Show::summary, 120);
  EXPECT_FALSE(has(summary, "ulp max"));
  EXPECT_TRUE(has(summary, "→ blocks.1.attn/aten.scaled_dot_product_attention: diverged"))
      << summary;
  EXPECT_FALSE(has(summary, "blocks.2.pool:")) << "only the first divergence";
}

TEST(Table, LimitsDetailsAndNames) {
  Report report = failing_report();
  std::vector<Tap>& taps = report.cases[0].taps;
  for (int i = 0; i < 40; ++i) {
    taps.push_back(
        report_test::measured_tap("many." + std::to_string(i), 0.5, run::Verdict::diverged));
    taps.push_back(
        report_test::measured_tap("lost." + std::to_string(i), 0.5, run::Verdict::missing));
  }
  const std::string text = table(report, Show::failing, 200);
  EXPECT_TRUE(has(text, "\n  many.39 ")) << "every failing tap has its row";
  EXPECT_TRUE(has(text, "42 failing or suspect taps more without details here")) << text;
  EXPECT_TRUE(has(text, "missing in the candidate (41): blocks.3.gone, lost.0")) << text;
  EXPECT_TRUE(has(text, "and 29 more")) << text;
}

TEST(Table, SumsUpLogits) {
  const std::string text = table(failing_report(), Show::summary, 200);
  EXPECT_TRUE(has(text, "logits <output>:logits.0: suspect")) << text;
  EXPECT_TRUE(has(text, "logits <output>:logits.1: suspect")) << text;
  for (const char* part : {"512 positions, top-1 agreement 98.00 %, 10 flips (0 decided, at a gap "
                           "of 2 or more; largest gap of a flip "
                           "7.1e-03)",
                           "top-5 overlap 99.00 %", "KL mean 3.1e-06 p99 2.0e-05 max inf nat",
                           "first divergent position 17 (sequence 1), 90 (sequence 3)",
                           "1 position with NaN or +Inf"}) {
    std::string flat = text;
    for (std::size_t at = flat.find("\n      "); at != std::string::npos;
         at = flat.find("\n      ")) {
      flat.replace(at, 7, " ");
    }
    EXPECT_TRUE(has(flat, part)) << part << "\n" << text;
  }
}

TEST(Table, MarksLogitsThatDivergeAlone) {
  Report report = identical_report();
  report.result = Result::fail;
  report.exit_code = 1;
  Logits logits = failing_report().cases[0].logits[0];
  logits.id = {run::TapKind::output, "<output>", "", 0, ""};
  logits.verdict = run::Verdict::diverged;
  report.cases[0].logits = {logits};
  report.first_divergence = {"same", logits.id};
  EXPECT_TRUE(has(table(report, Show::failing, 120), "→ logits <output>: diverged"));
}

TEST(Table, PrintsTheBoundsInForceWithTheirOrigin) {
  const std::string text = table(failing_report(), Show::failing, 200);
  EXPECT_TRUE(has(text, "bounds in force (policy default)"));
  EXPECT_TRUE(has(text,
                  "bfloat16  nrmse          warn 0.00781   fail 0.0312    measured between an H200 "
                  "and an x86 CPU"))
      << text;
  EXPECT_TRUE(has(text, "a decided position is a changed answer"));
}

TEST(Table, PrintsEveryBoundItIsGivenAndNoOther) {
  // Which bounds had a say is not for the table to find out: it knows names of dtypes, not how the
  // dtype of a judgement is chosen.
  Report report = identical_report();
  report.policy_bounds = {{"float16", "nrmse", 0.001, 0.01, "the coarser of float32 and float16"}};
  EXPECT_TRUE(has(table(report, Show::all, 200),
                  "float16  nrmse  warn 0.001     fail 0.01      the coarser of float32 and"));
  report.policy_bounds.clear();
  EXPECT_FALSE(has(table(report, Show::all, 200), "bounds in force"));
}

TEST(Table, NamesBothDtypesWhereNothingCouldBeMeasured) {
  const std::string wide = table(complex_report(), Show::all, 200);
  const std::string row = line_with(wide, "→ rotary.frequencies  complex64/float32");
  EXPECT_TRUE(has(row, " - ")) << wide;
  EXPECT_TRUE(has(row, "dtype_differs")) << wide;
  for (const int width : {60, 200}) {
    const std::string text = table(complex_report(), Show::summary, width);
    EXPECT_TRUE(has(text, "→ rotary.frequencies: dtype_differs")) << text;
    EXPECT_TRUE(has(text, "      complex64 in the reference, float32 in the candidate")) << text;
  }
}

TEST(Table, EndsWithTheVerdictAndTheWayToRepeatIt) {
  const std::string failing = table(failing_report(), Show::all, 200);
  EXPECT_EQ(
      lines_of(failing).back(),
      "verdict FAIL, exit code 1: 1 tap missing; 1 tap with NaN or Inf on one side only; 2 taps "
      "diverged");
  EXPECT_TRUE(
      has(failing,
          "repro   parity compare golden.h5 --model 'my model.pt' --device cpu --dtype bfloat16"));
  EXPECT_TRUE(
      has(failing,
          "first divergence → blocks.1.attn/aten.scaled_dot_product_attention in case prompts"));
  const std::string passing = table(identical_report(), Show::all, 200);
  EXPECT_EQ(lines_of(passing).back(), "verdict PASS, exit code 0: every tap is identical");
  EXPECT_FALSE(has(passing, "first divergence"));
  EXPECT_FALSE(has(passing, "→"));
}

TEST(Table, SaysThatNothingWasCompared) {
  EXPECT_TRUE(has(table({}, Show::all, 80), "no case was compared"));
  Report report = failing_report();
  report.cases = {{"hollow", Result::fail, {}, {}, {}, {}}};
  EXPECT_TRUE(has(table(report, Show::all, 80), "case hollow: 0 taps, nothing compared"));
}

TEST(Table, IsPlainUnlessColoursAreAskedFor) {
  TableOptions options;
  EXPECT_FALSE(has(to_table(failing_report(), options), "\033"));
  options.color = Color::on;
  const std::string text = to_table(failing_report(), options);
  EXPECT_TRUE(has(text, "\033[31mdiverged\033[0m"));
  EXPECT_TRUE(has(text, "\033[33msuspect\033[0m"));
  EXPECT_TRUE(has(text, "\033[32mwithin\033[0m"));
}

TEST(Table, NeverLetsANameControlTheTerminal) {
  Report report = failing_report();
  const std::string evil = "evil\033[2J\n\r\u202E";
  report.model_file = evil;
  report.repro = evil;
  report.policy_name = evil;
  report.notes = {evil};
  report.reasons = {evil};
  report.environment_diff = {{evil, evil, evil}};
  report.reference.provenance.set("device.name", evil);
  report.cases[0].name = evil;
  report.cases[0].notes = {evil};
  for (Tap& tap : report.cases[0].taps) {
    tap.id.path = evil;
    tap.dtype = evil;
    tap.reasons = {evil};
    if (tap.facts) tap.facts->hints = {{evil, evil}};
  }
  report.policy_bounds[0] = {evil, evil, 0, 0, evil};
  report.cases[0].logits[0].reasons = {evil};
  for (const Show show : {Show::all, Show::summary}) {
    const std::string text = table(report, show, 120);
    EXPECT_FALSE(has(text, "\033")) << text;
    EXPECT_FALSE(has(text, "\r")) << text;
    EXPECT_FALSE(has(text, "\u202E")) << text;
    for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 120) << line;
  }
}

}  // namespace
}  // namespace parity::report
