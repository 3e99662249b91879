#include <algorithm>

#include <gtest/gtest.h>

#include "pipeline/history/history.h"
#include "report/made_report.h"

namespace parity::pipeline {
namespace {

using history::Metric;

const history::PlaceResult& tap_of(const history::Run& run, const std::string& name) {
  const auto found = std::find_if(run.taps.begin(), run.taps.end(),
                                  [&](const auto& tap) { return tap.place.tap == name; });
  EXPECT_NE(found, run.taps.end()) << name;
  return *found;
}

TEST(Night, HasTheVerdictAndFiguresOfEveryTap) {
  const report::Report report = report_test::failing_report();
  const history::Run run = night_of(report);
  EXPECT_EQ(run.state, history::State::judged);
  EXPECT_EQ(run.gate, history::Gate::failed);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.reason, report.reasons.front());
  std::size_t taps = 0;
  for (const report::Case& item : report.cases) taps += item.taps.size();
  EXPECT_EQ(run.taps.size(), taps);
  EXPECT_EQ(run.cases.size(), 2U);
  EXPECT_EQ(run.cases[1].gate, history::Gate::passed);
  const auto& attention = tap_of(run, "blocks.1.attn/aten.scaled_dot_product_attention");
  EXPECT_EQ(attention.figures.get(Metric::nrmse), 0.12);
  EXPECT_EQ(attention.figures.get(Metric::ulp_p99), 300);
  EXPECT_EQ(attention.kind, "op");
  const auto& missing = tap_of(run, "blocks.3.gone");
  EXPECT_EQ(missing.verdict, run::Verdict::missing);
  EXPECT_FALSE(missing.figures.get(Metric::nrmse) == missing.figures.get(Metric::nrmse));
  EXPECT_EQ(run.failed, static_cast<std::int64_t>(report.totals.failed));
  ASSERT_FALSE(run.logits.empty());
  EXPECT_EQ(run.logits[0].kind, "logits");
  ASSERT_TRUE(run.first_divergence);
  EXPECT_EQ(run.first_divergence->tap, run::to_string(report.first_divergence->tap));
}

TEST(Night, HasNoReasonWhereTheGatePassed) {
  EXPECT_EQ(night_of(report_test::identical_report()).gate, history::Gate::passed);
  EXPECT_EQ(night_of(report_test::identical_report()).reason, "");
}

TEST(Night, HasWhatAttributionBlamesAndLayersIntroduce) {
  const report::Report report = report_test::attributed_report();
  const history::Run run = night_of(report);
  ASSERT_EQ(run.blame.size(), report.attribution->blame.size());
  EXPECT_EQ(run.blame[0].place.tap, run::to_string(report.attribution->blame[0].tap));
  EXPECT_TRUE(std::any_of(run.taps.begin(), run.taps.end(), [](const auto& tap) {
    return tap.figures.get(Metric::introduced_nrmse) > 0;
  }));
}

TEST(Night, KnowsGoldenWeightsAndPolicyByWhatTheyHold) {
  const report::Report report = report_test::attributed_report();
  const history::Contents contents = night_of(report).contents;
  EXPECT_EQ(contents.golden, report.reference.digests.recording);
  EXPECT_EQ(contents.inputs, report.reference.digests.inputs);
  EXPECT_EQ(contents.reference_weights, report.reference.digests.weights);
  EXPECT_EQ(contents.candidate_weights, report.candidate.digests.weights);
  EXPECT_EQ(contents.policy, report.policy_digest);
  EXPECT_NE(contents.golden, "");
}

TEST(Night, HasTheRecordedNoise) {
  const history::Run run = night_of(report_test::noisy_report());
  EXPECT_TRUE(std::any_of(run.taps.begin(), run.taps.end(),
                          [](const auto& tap) { return tap.noise.get(Metric::nrmse) > 0; }));
}

TEST(Night, PoolsTheStepsOfADecode) {
  const history::Run run = night_of(report_test::decoded_report());
  ASSERT_EQ(run.logits.size(), 2U);
  EXPECT_EQ(run.logits[1].place.tap, "decoded tokens");
}

}  // namespace
}  // namespace parity::pipeline
