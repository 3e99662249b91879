#include "report/html/html.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/ci/markup.h"
#include "report/html/html_names.h"
#include "report/made_report.h"

namespace parity::report {
namespace {

using report_test::attributed_report;
using report_test::complex_report;
using report_test::decoded_report;
using report_test::failing_report;
using report_test::hostile_report;
using report_test::identical_report;
using report_test::judged_report;
using report_test::measured_tap;
using report_test::noisy_report;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// From the body to the data: what a reader without JavaScript sees.
std::string body_of(const std::string& page) {
  const std::size_t start = page.find("<body>");
  std::string body = page.substr(start, page.find("<script type=\"application/json\"") - start);
  // Where a name may be broken into lines.
  const std::string mark = "<wbr>";
  for (std::size_t at = body.find(mark); at != std::string::npos; at = body.find(mark, at))
    body.erase(at, mark.size());
  return body;
}

nlohmann::json data_of(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t start = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
}

/// The first heading without its markup.
std::string headline_of(const Report& report) {
  const std::string page = to_html(report);
  const std::size_t start = page.find("<h1>");
  std::string text;
  bool in_tag = false;
  for (const char c : page.substr(start, page.find("</h1>", start) - start)) {
    in_tag = in_tag || c == '<';
    if (!in_tag) text += c;
    in_tag = in_tag && c != '>';
  }
  return text;
}

TEST(Html, NeedsNothingFromOutside) {
  for (const Report& report : {failing_report(), attributed_report(), judged_report(),
                               noisy_report(), decoded_report(), identical_report(), Report{}}) {
    const std::string page = to_html(report);
    for (const char* part : {"http:", "https:", "src=", "@import", "url(", "<link", "<iframe",
                             "<form", "fetch(", "XMLHttpRequest", "innerHTML", "eval("})
      EXPECT_EQ(page.find(part), std::string::npos) << part;
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(page.find("{{"), std::string::npos);
  }
}

TEST(Html, SaysInItsHeadlineWhichLayerToLookAt) {
  EXPECT_EQ(headline_of(identical_report()),
            "PASS No layer to look at: both sides have the same bits everywhere.");
  EXPECT_EQ(headline_of(failing_report()),
            "FAIL Look at blocks.1.attn/aten.scaled_dot_product_attention (case prompts) first: in "
            "execution order it is the first outside its bounds.");
  EXPECT_EQ(headline_of(attributed_report()),
            "FAIL Look at wpe (case prompts) first: it makes the difference itself.");
  EXPECT_EQ(headline_of(Report{}), "FAIL Nothing was compared, so nothing is known.");

  Report several = attributed_report();
  several.attribution->finding = "no_single_culprit";
  EXPECT_EQ(headline_of(several),
            "FAIL Look at wpe (case prompts) first: of 2 layers that introduce more than rounding "
            "explains, it introduces most.");
  Report none = attributed_report();
  none.attribution->blame.clear();
  none.attribution->finding = "none";
  EXPECT_NE(headline_of(none).find("though no layer introduces more than rounding explains"),
            std::string::npos);
  Report missing = failing_report();
  missing.first_divergence.reset();
  EXPECT_NE(headline_of(missing).find("the gate failed for another reason"), std::string::npos);
  Report suspect = identical_report();
  suspect.totals.warned = 2;
  EXPECT_EQ(headline_of(suspect), "PASS Nothing failed; 2 taps are beyond a warn bound (suspect).");
  Report within = identical_report();
  within.cases.at(0).taps.at(1) = measured_tap("blocks.1", 1e-5, run::Verdict::within);
  EXPECT_EQ(headline_of(within),
            "PASS No layer to look at: every difference is inside its bounds.");
}

TEST(Html, ReadsWithoutJavaScript) {
  const std::string body = body_of(to_html(attributed_report()));
  for (const char* part :
       {"FAIL", "Exit code 1", "2 taps diverged", "switch.fp32_precision", "tf32", "library.torch",
        "blocks.1.attn/aten.scaled_dot_product_attention", "aten.softmax has an own error",
        "about 66000 times too much", "The 10 worst taps", "blocks.3.gone", "KL 3.1e-06 nat",
        "parity compare golden.h5", "model.py:7", "1 tap was skipped"})
    EXPECT_NE(body.find(part), std::string::npos) << part;
}

TEST(Html, PutsSwitchesThatDifferBeforeAnyLayerWhereTheGateFailed) {
  Report report = failing_report();
  std::string body = body_of(to_html(report));
  EXPECT_LT(body.find("Did both sides run"), body.find("Which layer is it"));
  EXPECT_NE(body.find("But first make the settings of both sides the same"), std::string::npos);
  EXPECT_LT(body.find("<code>switch.fp32_precision"), body.find("<code>device.name"));
  std::erase_if(report.environment_diff,
                [](const run::Difference& one) { return one.key == "switch.fp32_precision"; });
  body = body_of(to_html(report));
  EXPECT_GT(body.find("Did both sides run"), body.find("Which layer is it"));
  EXPECT_EQ(body.find("But first make"), std::string::npos);
}

TEST(Html, TakesANumberOfThreadsForACauseOnCpusAlone) {
  Report report = failing_report();
  report.environment_diff = {{"switch.threads", "16", "2"}};
  const std::string words = "But first make the settings of both sides the same";
  report.reference.provenance.set("device.type", "cuda");
  report.candidate.provenance.set("device.type", "cpu");
  EXPECT_EQ(to_html(report).find(words), std::string::npos);
  EXPECT_EQ(to_html(report).find("before looking at any layer"), std::string::npos);
  report.reference.provenance.set("device.type", "cpu");
  EXPECT_NE(to_html(report).find(words), std::string::npos);
}

TEST(Html, SaysWhetherAUserWouldNotice) {
  struct Row {
    std::uint64_t flips;
    std::uint64_t decided;
    std::uint64_t non_finite;
    run::Verdict verdict;
    const char* words;
  };
  constexpr auto kWithin = run::Verdict::within;
  constexpr auto kDiverged = run::Verdict::diverged;
  for (const Row& row :
       {Row{0, 0, 0, kWithin, "No: the best token is the same at all 1024 positions."},
        Row{0, 0, 0, kDiverged, "Perhaps: the best token is the same at all 1024 positions, but"},
        Row{3, 0, 0, kWithin, "Hardly: at 6 of 1024 positions another token is best, all of them"},
        Row{3, 0, 0, kDiverged, "Yes: at 6 of 1024 positions another token is best, all of them"},
        Row{3, 2, 0, kWithin, "Yes: at 4 of 1024 positions the best token changes"},
        Row{0, 0, 1, kDiverged, "Yes: at 2 of 1024 positions the logits have NaN"}}) {
    Report report = failing_report();
    for (Logits& logits : report.cases.at(0).logits) {
      logits.verdict = row.verdict;
      logits.facts.flips = row.flips;
      logits.facts.decided_flips = row.decided;
      logits.facts.non_finite_rows = row.non_finite;
    }
    EXPECT_NE(to_html(report).find(row.words), std::string::npos) << row.words;
  }
  EXPECT_NE(to_html(failing_report()).find("2 positions with NaN or infinity, on both sides alike"),
            std::string::npos);
  EXPECT_NE(to_html(identical_report()).find("Not known from tokens"), std::string::npos);
  EXPECT_NE(to_html(decoded_report()).find("31 of 32 tokens agree"), std::string::npos);
}

TEST(Html, SaysHowAGateFailsThoughAUserNoticesNothing) {
  const char* both = "The gate failed all the same, and both can be true";
  Report report = failing_report();
  for (Logits& logits : report.cases.at(0).logits) logits.verdict = run::Verdict::within;
  EXPECT_NE(to_html(report).find(both), std::string::npos);
  for (Tap& tap : report.cases.at(0).taps) {
    if (tap.id.kind == run::TapKind::output) tap.verdict = run::Verdict::diverged;
  }
  EXPECT_NE(to_html(report).find("is diverged among the layers, where it is judged as numbers"),
            std::string::npos);
  for (Logits& logits : report.cases.at(0).logits) logits.verdict = run::Verdict::suspect;
  EXPECT_NE(to_html(report).find("The logits are suspect, which only warns: top1_agreement 0.98"),
            std::string::npos);
  for (Logits& logits : report.cases.at(0).logits) logits.verdict = run::Verdict::diverged;
  EXPECT_NE(to_html(report).find("The logits failed: top1_agreement 0.98"), std::string::npos);
  EXPECT_EQ(to_html(report).find(both), std::string::npos);
}

TEST(Html, NamesTheLayerWhereItExplainsItAndInAPassingHeadline) {
  const std::string name = "blocks.1.attn/aten.scaled_dot_product_attention";
  const auto card_of = [](const Report& report) {
    const std::string body = body_of(to_html(report));
    const std::size_t start = body.find("Which layer is it");
    return body.substr(start, body.find("</li>", start) - start);
  };
  EXPECT_NE(card_of(failing_report()).find("<code>" + name), std::string::npos);
  Report report = attributed_report();
  EXPECT_NE(card_of(report).find("It is <a href=\"#prompts/wpe\""), std::string::npos);
  report.result = Result::pass;
  report.totals.warned = 2;
  EXPECT_EQ(headline_of(report),
            "PASS Nothing failed; 2 taps are beyond a warn bound (suspect). The layer that "
            "introduces most itself is wpe (case prompts).");
}

TEST(Html, SaysWhereEveryCaseGoesWrongAtOneLayer) {
  Report report = failing_report();
  const Tap guilty = report.cases.at(0).taps.at(2);
  report.cases = {report.cases.at(1), report.cases.at(1)};
  for (Case& item : report.cases) item.taps = {item.taps.at(0), guilty};
  report.cases.at(1).name = "prompts";
  EXPECT_NE(headline_of(report).find("attention (in both cases) first"), std::string::npos);
  report.cases.push_back(report.cases.at(0));
  report.cases.at(2).name = "third";
  EXPECT_NE(headline_of(report).find("attention (in all 3 cases) first"), std::string::npos);
  report.cases.at(2).taps.pop_back();
  EXPECT_NE(headline_of(report).find("attention (case prompts) first"), std::string::npos);
}

TEST(Html, ShowsANoteOnTheWeightsAmongItsFindings) {
  Report report = failing_report();
  const std::string question = "Did both sides run the same model?";
  EXPECT_EQ(to_html(report).find(question), std::string::npos);
  report.notes.emplace_back("the weights are not the golden's (1 changed)");
  const std::string body = body_of(to_html(report));
  EXPECT_LT(body.find("The weights are not the golden&#39;s (1 changed)."),
            body.find("section-environment"));
  EXPECT_NE(body.find(question), std::string::npos);
  EXPECT_NE(body.find("A model recorded from <code>model.pt</code>"), std::string::npos);
}

TEST(Html, SaysWhereInWordsForAxes) {
  EXPECT_NE(
      to_html(failing_report())
          .find("axis 2 of 3: 16 to 127 of 128, with 100 % of the excess; last axis: 64 of 256, "
                "with 96.00 % of the excess"),
      std::string::npos);
}

TEST(Html, TellsOperatorsOfOneNameApartAndLeavesEmptyColumnsOut) {
  Report report = attributed_report();
  Blame& blame = report.attribution->blame.at(0);
  const auto table_of = [](const Report& of) {
    const std::string body = body_of(to_html(of));
    const std::size_t start = body.find("aria-label=\"Operators\"");
    return body.substr(start, body.find("</table>", start) - start);
  };
  EXPECT_NE(table_of(report).find(">source<"), std::string::npos);
  EXPECT_NE(table_of(report).find(">finding<"), std::string::npos);
  blame.culprit.reset();
  blame.operators = {
      {"aten.mul", "", {"", 0, 0}}, {"aten.add", "", {"", 0, 0}}, {"aten.mul", "", {"", 0, 0}}};
  const std::string table = table_of(report);
  for (const char* part : {"aten.mul (1 of 2)", "aten.mul (2 of 2)", "aten.add<"})
    EXPECT_NE(table.find(part), std::string::npos) << part;
  EXPECT_EQ(table.find(">source<"), std::string::npos);
  EXPECT_EQ(table.find(">finding<"), std::string::npos);
}

TEST(Html, SaysWhatTruthAndNoiseSay) {
  EXPECT_NE(to_html(judged_report()).find("The reference is the worse side."), std::string::npos);
  EXPECT_NE(to_html(noisy_report()).find("The reference is not deterministic."), std::string::npos);
  EXPECT_EQ(to_html(failing_report()).find("nearer to the truth?"), std::string::npos);
}

TEST(Html, TakesNoNameForMarkup) {
  const std::string page = to_html(hostile_report());
  EXPECT_EQ(count_of(page, "<script"), 2U);
  EXPECT_EQ(count_of(page, "</script"), 2U);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("]]&gt;&lt;script&gt;alert(&#39;1&#39;)"), std::string::npos);
  const bool is_text = std::all_of(page.begin(), page.end(), [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  });
  EXPECT_TRUE(is_text);
  EXPECT_EQ(data_of(page)["cases"][0]["taps"][1]["n"], "]]><script>alert('1')</script>&amp;\"");
}

TEST(Html, GivesNamesThatLookAlikeLinksOfTheirOwn) {
  const Report report = hostile_report();
  const PageNames names(report);
  EXPECT_NE(names.link(TapPlace{0, 3}), names.link(TapPlace{0, 4}));
  EXPECT_NE(names.of_tap({0, 4}).find(" (2)"), std::string::npos);
  EXPECT_EQ(data_of(to_html(report))["cases"][0]["taps"][4]["n"], names.of_tap({0, 4}));
}

TEST(Html, ShortensNamesWithoutAnEnd) {
  Report report = identical_report();
  const std::string endless(1000000, 'x');
  report.cases.at(0).name = endless;
  report.cases.at(0).taps.at(0).id.path = endless;
  report.cases.at(0).taps.at(0).reasons = {endless};
  EXPECT_LT(to_html(report).size(), 200000U);
}

TEST(Html, CarriesHistogramsWithoutTheirEmptyEnds) {
  Report report = identical_report();
  report.cases.at(0).taps.at(1).facts.reset();
  compare::Histogram& ulp = report.cases.at(0).taps.at(0).facts->ulp.histogram;
  ulp.edges = {0, 1, 2, 3, 5};
  ulp.counts = {0, 4, 0, 2, 0};
  const nlohmann::json data = data_of(to_html(report));
  EXPECT_EQ(data["cases"][0]["taps"][0]["h"][0], nlohmann::json({1, 4, 0, 2}));
  EXPECT_EQ(data["edges"][0], nlohmann::json({0, 1, 2, 3, 5}));
}

TEST(Html, NamesTheBoundsThatJudgedATap) {
  Report report = identical_report();
  report.policy_bounds = {{"bfloat16", "nrmse", 0.01, 0.02, "measured", "default/bfloat16"},
                          {"bfloat16", "ulp.p99", 4, 8, "measured", "default/bfloat16"},
                          {"float32", "nrmse", 1e-6, 1e-5, "measured", "nightly.toml:3"}};
  Tap& tap = report.cases.at(0).taps.at(1);
  tap.rule = "nightly.toml:3";
  tap.bounds_dtype = "float32";
  const nlohmann::json data = data_of(to_html(report));
  ASSERT_EQ(data["bounds"].size(), 2U);
  EXPECT_EQ(data["bounds"][0]["bounds"].size(), 2U);
  const nlohmann::json& judged = data["bounds"][data["cases"][0]["taps"][1]["g"].get<int>()];
  EXPECT_EQ(judged["rule"], "nightly.toml:3");
  EXPECT_EQ(judged["bounds"][0], nlohmann::json({"nrmse", 1e-6, 1e-5, "measured"}));
  EXPECT_FALSE(data["cases"][0]["taps"][0].contains("g"));
}

TEST(Html, KeepsNumbersThatJsonCannotHold) {
  const nlohmann::json data = data_of(to_html(failing_report()));
  bool found = false;
  for (const nlohmann::json& tap : data["cases"][0]["taps"])
    found = found || (tap.contains("f") && tap["f"][0] == "inf");
  EXPECT_TRUE(found);
  EXPECT_EQ(data["roundoff"]["bfloat16"], 0.0039062);
}

TEST(Html, ShowsShapesAndDtypesOfBothSides) {
  const nlohmann::json taps = data_of(to_html(failing_report()))["cases"][0]["taps"];
  const auto has = [&](const char* key, const char* value) {
    return std::any_of(taps.begin(), taps.end(), [&](const nlohmann::json& tap) {
      return tap.contains(key) && tap[key] == value;
    });
  };
  EXPECT_TRUE(has("s2", "4x64"));
  EXPECT_TRUE(has("d2", "float32"));
  EXPECT_EQ(data_of(to_html(complex_report()))["cases"][0]["taps"][2]["d"], "complex64");
}

}  // namespace
}  // namespace parity::report
