// A stored report cannot lie: each figure that contradicts another is refused by both their names,
// and whatever the tool itself writes is taken.
#include "pipeline/stored/report_agreement.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "error/error.h"
#include "gate/policy_file.h"
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

/// The message of the refusal; "" where there is none.
std::string refusal(const std::string& text) {
  try {
    (void)stored_report(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    return error.what();
  }
  return {};
}

std::string refusal(const report::Report& report) { return refusal(report::to_json(report)); }

TEST(ReportAgreement, TakesEveryComparisonOfEveryDtypeAndShape) {
  std::uint64_t seed = 0;
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    std::vector<ComparedTap> taps;
    for (const tensor::Shape& shape :
         {tensor::Shape{}, tensor::Shape{0, 4}, tensor::Shape{1}, tensor::Shape{3, 5, 40}}) {
      for (const Content content :
           {Content::bits, Content::ordinary, Content::constant, Content::zeros}) {
        for (const Change change :
             {Change::none, Change::rounding, Change::outliers, Change::everything}) {
          ++seed;
          taps.push_back(compared(
              made({"layer." + std::to_string(seed), dtype, shape, content, change, seed})));
        }
      }
    }
    taps.push_back(compared(as_logits(made({"", dtype, {2, 3, 40}}))));
    const report::Report report = judged(report_of(std::move(taps)));
    EXPECT_EQ(refusal(report), "") << tensor::name(dtype);
  }
}

TEST(ReportAgreement, TakesComparisonsOfTwoDtypes) {
  std::uint64_t seed = 0;
  for (const tensor::DType reference : tensor::all_dtypes()) {
    std::vector<ComparedTap> taps;
    for (const tensor::DType candidate : tensor::all_dtypes()) {
      for (const Content content : {Content::bits, Content::ordinary, Content::zeros}) {
        ++seed;
        const std::string path = "layer." + std::to_string(seed);
        taps.push_back(compared(
            {made({path, reference, {3, 40}, content, Change::none, seed}).reference,
             made({path, candidate, {3, 40}, content, Change::none, seed + 1}).reference}));
      }
    }
    taps.push_back(compared(as_logits(made({}))));
    EXPECT_EQ(refusal(judged(report_of(std::move(taps)))), "") << tensor::name(reference);
  }
}

TEST(ReportAgreement, TakesAReportWithEverythingThatIsMeasured) {
  for (const Change change : {Change::none, Change::rounding, Change::outliers, Change::everything})
    EXPECT_EQ(refusal(full_report(change)), "");
}

/// `said` stands in the refusal of the report with `value` at `pointer`.
struct Spoilt {
  const char* pointer;
  Json value;
  const char* said;
};

void expect_refused(const Json& good, const std::vector<Spoilt>& rows) {
  ASSERT_EQ(refusal(good.dump()), "");
  for (const Spoilt& row : rows) {
    Json document = good;
    const Json::json_pointer at(row.pointer);
    ASSERT_TRUE(document.contains(at)) << row.pointer;
    ASSERT_NE(document[at], row.value) << row.pointer;
    document[at] = row.value;
    const std::string said = refusal(document.dump());
    EXPECT_NE(said.find(row.said), std::string::npos) << row.pointer << ": " << said;
  }
}

TEST(ReportAgreement, RefusesFactsThatNoTwoTensorsHave) {
  // Of 192 float32 elements, twelve are other ones.
  expect_refused(
      Json::parse(report::to_json(full_report(Change::outliers))),
      {{"/cases/0/taps/0/compared", 0, "cases[0].taps[0].classes add up to more"},
       {"/cases/0/taps/0/classes/equal_bits", 0, "case 'prose': first: exact_share"},
       {"/cases/0/taps/0/classes/equal_bits", 192, "exact_share"},
       {"/cases/0/taps/0/classes/zero_sign", 13, "classes.zero_sign 13 does not go with"},
       {"/cases/0/taps/0/classes/zero_reference", 13, "classes.zero_reference 13 does not go"},
       {"/cases/0/taps/0/classes/flushed_to_zero", 13, "classes.flushed_to_zero 13 does not go"},
       {"/cases/0/taps/0/exact_share", 7, "exact_share 7 is outside of 0 to 1"},
       {"/cases/0/taps/0/exact_share", 1, "exact_share 1 does not go with classes.equal_bits 180"},
       {"/cases/0/taps/0/nrmse", 0, "nrmse 0"},
       {"/cases/0/taps/0/nrmse", -1, "nrmse -1 is outside of 0 to inf"},
       {"/cases/0/taps/0/nrmse", "-inf", "nrmse -inf is outside"},
       {"/cases/0/taps/0/nrmse", "nan", "nrmse nan is outside"},
       {"/cases/0/taps/0/nrmse", "inf", "nrmse inf does not go with max_error_over_rms"},
       {"/cases/0/taps/0/nrmse", 1e-6, "does not go with"},
       {"/cases/0/taps/0/nrmse", 1e6, "nrmse 1000000 does not go with max_error_over_rms"},
       {"/cases/0/taps/0/cosine", 55, "cosine 55 is outside of -1 to 1"},
       {"/cases/0/taps/0/cosine", "nan", "cosine nan is outside"},
       {"/cases/0/taps/0/max_error_over_rms", 0, "max_error_over_rms 0 does not go with absolute"},
       {"/cases/0/taps/0/absolute/max", 0, "does not go with"},
       {"/cases/0/taps/0/absolute/max", "inf", "absolute.max inf does not go with the range"},
       {"/cases/0/taps/0/absolute/mean_signed", 1e9, "absolute.mean_signed 1000000000 does not go"},
       {"/cases/0/taps/0/reference_rms", 1e9, "does not go with"},
       {"/cases/0/taps/0/reference_rms", -1, "reference_rms -1 is outside"},
       {"/cases/0/taps/0/reference_all_nan", true, "reference_all_nan 1 does not go with"},
       {"/cases/0/taps/0/where/outside", 0, "where.share"},
       {"/cases/0/taps/0/where/outside", 190, "where.share"},
       {"/cases/0/taps/0/where/share", 0, "where.share 0 does not go with where.outside"},
       {"/cases/0/taps/0/where/share", 7, "where.share 7 is outside of 0 to 1"},
       {"/cases/0/taps/0/where/first", {99, 0}, "where.first [99,0] does not go with"},
       {"/cases/0/taps/0/where/first", Json::array(), "where.first [] does not go with"},
       {"/cases/0/taps/0/worst/0/index", {6, 0}, "worst.index [6,0] does not go with shape 6x32"},
       {"/cases/0/taps/0/worst/0/candidate", 0, "worst.candidate 0 does not go with worst.cand"},
       {"/cases/0/taps/0/worst/0/reference_bits", "0x00000000", "worst.reference_bits 0x00000000"},
       {"/cases/0/taps/0/ulp/dtype", "float64", "ulp.dtype float64 does not go with the coarser"},
       {"/cases/0/taps/0/ulp/max", 0, "ulp.max 0 does not go with ulp.histogram"},
       {"/cases/0/taps/0/ulp/p999", 0, "ulp.p999 0 does not go with ulp.histogram"},
       {"/cases/0/taps/0/ulp/p50", 8, "ulp.p50 8 does not go with ulp.histogram"},
       {"/cases/0/taps/0/ulp/histogram/counts/0", 181, "ulp.histogram with a sum of 193 does not"},
       {"/cases/0/taps/0/ulp/histogram/edges/3", 4, "ulp.histogram.edges[3] 4 does not go with"},
       {"/cases/0/taps/0/relative/max", 0, "relative.max 0 does not go with relative.histogram"},
       {"/cases/0/taps/0/relative/p99", 0, "relative.p99 0 does not go with relative.histogram"},
       {"/cases/0/taps/0/relative/histogram/counts/0", 0, "relative.histogram with a sum of 12"},
       {"/cases/0/taps/0/introduced/nrmse", 0, "introduced.max_error_over_rms"},
       {"/cases/0/taps/0/introduced/cosine", 2, "introduced.cosine 2 is outside"},
       {"/cases/0/taps/1/rows/of", 8, "rows.of 8 does not go with rows in shape, 9"},
       {"/cases/0/taps/1/rows/compared", 2, "cases[0].taps[1].compared is not the number"}});
}

TEST(ReportAgreement, RefusesWhatIsSaidOfATapBesideItsFacts) {
  expect_refused(
      Json::parse(report::to_json(full_report(Change::outliers))),
      {{"/cases/0/taps/0/truth/ratio", 1, "truth.ratio 1 does not go with candidate_nrmse over"},
       {"/cases/0/taps/0/truth/candidate_nrmse", -1, "truth.candidate_nrmse -1 is outside"},
       {"/cases/0/taps/0/truth/reference_one_sided", 193, "truth.reference_one_sided 193"},
       {"/cases/0/taps/0/truth/dtype", "float32", "truth.dtype float32 does not go with dtype"},
       {"/cases/0/taps/0/noise/figures/nrmse", 1, "noise.figures.nrmse 1 does not go with"},
       {"/cases/0/taps/0/noise/figures/nrmse", -1, "noise.figures.nrmse -1 is outside"},
       {"/cases/0/taps/0/noise/differing", 0, "noise.differing 0 does not go with noise.figures"},
       {"/cases/0/taps/0/bounds_dtype", "bfloat16", "bounds_dtype bfloat16 does not go with"},
       {"/cases/0/taps/0/bounds_dtype", nullptr, "bounds_dtype null does not go with"},
       {"/cases/0/taps/0/inherited_dtype", "bfloat16", "bounds_dtype float32 does not go with"},
       {"/cases/0/taps/0/verdict", "within", "totals.verdicts are not those"},
       {"/cases/0/taps/2/classes", nullptr, "has an outcome that does not go with its classes"},
       {"/cases/0/taps/2/outcome", "digest_equal", "has an outcome that does not go with"},
       {"/noise_summary/differing", 0, "noise_summary.differing 0 does not go with the noise"},
       {"/noise_summary/taps", 1, "noise_summary.taps 1 does not go with"},
       {"/noise_summary/repeats", 9, "noise_summary.repeats 9 does not go with"},
       {"/noise_summary/first", nullptr, "noise_summary.first is not the first tap"},
       {"/noise_summary", nullptr, "noise_summary null does not go with noise of taps"},
       {"/truth_summary", nullptr, "truth_summary null does not go with truth of taps"},
       {"/truth_summary/taps", 7, "truth_summary.taps 7 does not go with"},
       {"/truth_file", nullptr, "truth of values does not go with truth_file null"},
       {"/attribution", nullptr, "introduced of values does not go with attribution null"},
       {"/timing/total_s", -1, "timing.total_s -1 is outside"},
       {"/totals/elements", 0, "totals.elements 0 does not go with the taps of all cases"},
       {"/first_divergence", nullptr, "first_divergence null does not go with the first verdict"},
       {"/cases/0/untested_output", "x", "does not go with outcome of the output, compared"}});
}

TEST(ReportAgreement, RefusesWhatIsSaidOfLogits) {
  const Json good = Json::parse(report::to_json(full_report(Change::everything)));
  expect_refused(
      good,
      {{"/cases/0/logits", nullptr, "<output>: role logits does not go with its facts as logits"},
       {"/cases/0/logits/positions", 512, "does not go with"},
       {"/cases/0/logits/top1_agreement", 9, "top1_agreement 9 is outside of 0 to 1"},
       {"/cases/0/logits/top1_agreement", 1, "top1_agreement 1 does not go with flips"},
       {"/cases/0/logits/flips", 0, "top1_agreement 0 does not go with flips 0"},
       {"/cases/0/logits/flips", 7, "counts more positions than there are"},
       {"/cases/0/logits/max_flip_gap", 3, "decided_flips 0 does not go with max_flip_gap 3"},
       {"/cases/0/logits/decided_flips", 1, "decided_flips 1 does not go with max_flip_gap"},
       {"/cases/0/logits/max_flip_gap", -1, "max_flip_gap -1 is outside"},
       {"/cases/0/logits/topk_overlap/5", 7, "topk_overlap.5 7 is outside of 0 to 1"},
       {"/cases/0/logits/kl/mean", 0, "kl.mean 0 does not go with kl.max"},
       {"/cases/0/logits/kl/mean", -1, "kl.mean -1 is outside"},
       {"/cases/0/logits/kl/max", 0, "kl.mean"},
       {"/cases/0/logits/kl/max", 1e300, "max_logprob_change"},
       {"/cases/0/logits/kl_reverse/p99", 0, "kl_reverse.p99 0 does not go with kl_reverse.max"},
       {"/cases/0/logits/max_logprob_change", 0, "max_logprob_change 0 does not go with kl.max"},
       {"/cases/0/logits/max_logprob_change", 1e9, "does not go with absolute.max"},
       {"/cases/0/logits/first_divergent", {-1, -1}, "does not go with sequences in first_diverg"},
       {"/cases/0/logits/first_divergent", {0}, "first_divergent with 1 does not go with"},
       {"/cases/0/logits/truth/flips", 0, "truth.flips 0 does not go with flips"},
       {"/cases/0/logits/truth/candidate_kl/max", -1, "truth.candidate_kl.max -1 is outside"}});
}

TEST(ReportAgreement, RefusesADecodeThatIsNotWhatItsStepsAre) {
  const report::Report report = pipeline_test::decoded_report();
  ASSERT_TRUE(report.cases[0].decode->first_divergent);
  expect_refused(
      Json::parse(report::to_json(report)),
      {{"/cases/0/decode/tokens", 7,
        "decode.tokens 7 does not go with rows times steps and one, 6"},
       {"/cases/0/decode/steps", 0, "decode.tokens 6 does not go with rows times steps and one, 2"},
       {"/cases/0/decode/pooled_steps", 1, "decode.positions 4 does not go with positions of its"},
       {"/cases/0/decode/pooled_steps", 3, "decode.pooled_steps 3 does not go with decode.steps 2"},
       {"/cases/0/decode/agree", 6, "decode.agree 6 does not go with decode.first_divergent"},
       {"/cases/0/decode/first_divergent", nullptr, "does not go with decode.first_divergent 0"},
       {"/cases/0/decode/first_divergent/step", 9, "decode.first_divergent.token"},
       {"/cases/0/decode/first_divergent/row", 2, "decode.first_divergent.row 2 does not go with"},
       {"/cases/0/decode/first_divergent/margin", 1e9, "decode.first_divergent.margin"},
       {"/cases/0/decode/first_divergent/decided", true, "does not go with decided 1"},
       {"/cases/0/decode/kl/mean", 0, "decode.kl.mean 0 does not go with kl.mean of its steps"},
       {"/cases/0/decode/decided_flips", 1, "decode.decided_flips 1 does not go with"},
       {"/cases/0/decode/top1_agreement", 1, "decode.top1_agreement 1 does not go with"},
       {"/cases/0/decode/truth/flips", 0, "decode.truth.flips 0 does not go with flips of its"},
       {"/cases/0/decode/truth", nullptr, "decode.truth does not go with the truth of its steps"}});
}

/// Spoils as somebody would who corrects all that is counted.
Json without_tap(Json document, std::size_t place) {
  Json& taps = document["cases"][0]["taps"];
  const std::string verdict = taps[place]["verdict"];
  const std::uint64_t elements = taps[place]["compared"];
  taps.erase(place);
  Json& totals = document["totals"];
  totals["taps"] = totals["taps"].get<int>() - 1;
  totals["failed"] = totals["failed"].get<int>() - 1;
  totals["elements"] = totals["elements"].get<std::uint64_t>() - elements;
  totals["verdicts"][verdict] = totals["verdicts"][verdict].get<int>() - 1;
  if (totals["verdicts"][verdict] == 0) totals["verdicts"].erase(verdict);
  return document;
}

TEST(ReportAgreement, RefusesTapsThatAreGoneOrStandInForOthers) {
  report::Report report = full_report(Change::everything);
  const Json good = Json::parse(report::to_json(report));
  ASSERT_EQ(refusal(good.dump()), "");
  EXPECT_NE(refusal(without_tap(good, 0).dump()), "") << "first_divergence was there";
  Json no_output = without_tap(good, 3);
  no_output["cases"][0]["logits"] = nullptr;
  no_output["truth_summary"]["taps"] = 0;
  EXPECT_NE(refusal(no_output.dump())
                .find("untested_output null does not go with taps of kind "
                      "output"),
            std::string::npos)
      << refusal(no_output.dump());
  report.cases[0].taps[1] = report.cases[0].taps[2];
  EXPECT_NE(refusal(report).find("case 'prose': tap ids is there twice"), std::string::npos)
      << refusal(report);
  report = full_report(Change::rounding);
  report.cases.push_back(report.cases[0]);
  conclude(report, run::Strictness::normal);
  EXPECT_NE(refusal(report).find("case 'prose' is there twice"), std::string::npos);
}

TEST(ReportAgreement, RefusesVerdictsThatAreBetterThanTheFactsUnderTheStatedBounds) {
  report::Report report = full_report(Change::everything);
  for (report::Tap& tap : report.cases[0].taps) tap.verdict = run::Verdict::within;
  for (report::Logits& logits : report.cases[0].logits) logits.verdict = run::Verdict::within;
  conclude(report, run::Strictness::normal);
  ASSERT_EQ(report.exit_code, 0);
  const std::string said = refusal(report);
  EXPECT_NE(said.find("r.json contradicts itself: case 'prose': first: verdict within does not go "
                      "with its facts, which by the bounds of default/float32 give "),
            std::string::npos)
      << said;
}

TEST(ReportAgreement, TakesABoundThatJudgesWhereItsMetricWasMeasured) {
  const gate::RuleBook policy = gate::parse_policy(
      "name = \"p\"\n[[rule]]\nreason = \"r\"\ndtypes = [\"float32\"]\n"
      "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n"
      "[[rule.bound]]\nmetric = \"truth.ratio\"\nfail = 50\noptional = true\n",
      "p.toml");
  report::Report report = full_report(Change::rounding);
  // Another of the same rule, without a truth.
  report.cases[0].taps.push_back(report.cases[0].taps[0]);
  report.cases[0].taps.back().id.path = "second";
  report.cases[0].taps.back().truth.reset();
  report.cases[0].taps.back().introduced.reset();
  report.cases[0].taps.back().noise.reset();
  judge_report(report, policy, run::Strictness::normal);
  ASSERT_EQ(report.cases[0].taps.back().verdict, run::Verdict::within);
  EXPECT_EQ(refusal(report), "");
}

TEST(ReportAgreement, RefusesACloserThatNoFactorOfAPolicyGives) {
  report::Report report = full_report(Change::everything);
  report::Tap& tap = report.cases[0].taps[0];
  ASSERT_TRUE(tap.truth.has_value());
  ASSERT_GT(tap.truth->candidate_nrmse, 100 * tap.truth->reference_nrmse);
  for (report::Tap& each : report.cases[0].taps) each.verdict = run::Verdict::closer;
  for (report::Logits& logits : report.cases[0].logits) logits.verdict = run::Verdict::closer;
  conclude(report, run::Strictness::normal);
  EXPECT_NE(refusal(report).find("case 'prose': first: verdict closer does not go with"),
            std::string::npos)
      << refusal(report);
}

TEST(ReportAgreement, RefusesConclusionsThatDoNotFollow) {
  report::Report report = full_report(Change::everything);
  report.first_divergence->tap.path = "ids";
  EXPECT_NE(refusal(report).find("first_divergence ids of case 'prose' does not go with"),
            std::string::npos)
      << refusal(report);
  report = full_report(Change::rounding);
  ASSERT_EQ(report.exit_code, 0);
  report.cases[0].result = report::Result::fail;
  report.result = report::Result::fail;
  report.exit_code = 1;
  EXPECT_NE(refusal(report).find("case 'prose': verdict fail does not go with the verdicts in it"),
            std::string::npos)
      << refusal(report);
}

TEST(ReportAgreement, TakesWhatAStrictGateConcluded) {
  report::Report report = full_report(Change::rounding);
  report.cases[0].taps[1].verdict = run::Verdict::suspect;
  for (const auto strictness : {run::Strictness::normal, run::Strictness::strict}) {
    conclude(report, strictness);
    EXPECT_EQ(report.exit_code, strictness == run::Strictness::strict ? 1 : 0);
    EXPECT_EQ(refusal(report), "");
  }
}

}  // namespace
}  // namespace parity::pipeline
