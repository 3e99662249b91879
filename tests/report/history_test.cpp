#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "history/made_nights.h"
#include "report/ci/history_openmetrics.h"
#include "report/dashboard/dashboard.h"
#include "report/json/history_json.h"
#include "report/terminal/history_text.h"

namespace parity::report {
namespace {

using history::Metric;
using history::Timeline;
using history_test::kDay_s;
using history_test::kFirstNight_s;
using history_test::quiet_series;
using history_test::set_figure;
using history_test::unjudged_night;

/// Twelve nights: another LibTorch on the 9th, no GPU on the 4th, the last one worse in one layer.
std::vector<Timeline> nights() {
  history::Series series = quiet_series(12);
  series.runs[3] = unjudged_night(3, history::State::infrastructure);
  for (std::size_t night = 8; night < 12; ++night)
    series.runs[night].candidate.set("library.torch", "2.11.0");
  series.runs[11].taps[1].verdict = run::Verdict::suspect;
  set_figure(series.runs[11], 1, Metric::introduced_nrmse, 0.025);
  series.runs[11].link = "reports/12.html";
  return {history::timeline_of(std::move(series), kFirstNight_s + 11 * kDay_s)};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HistoryText, LeadsWithTheEnvironmentThenVerdictsThenFigures) {
  const std::string text = history_text(nights(), {Color::off, 200, 4});
  const std::size_t environment = text.find("library.torch  2.9.1 -> 2.11.0");
  const std::size_t verdict = text.find("prose: layers.1: within -> suspect");
  const std::size_t figure =
      text.find("prose: layers.1: introduced.nrmse 2.5e-02, usually 5.0e-04");
  EXPECT_LT(environment, verdict) << text;
  EXPECT_LT(verdict, figure) << text;
  EXPECT_NE(figure, std::string::npos) << text;
  EXPECT_TRUE(has(text, "REGRESSED, exit code 1")) << text;
  EXPECT_TRUE(has(text, "reports/12.html")) << text;
}

/// Two nights: on the second the golden is another one, and a layer and the logits are not
/// compared.
std::vector<Timeline> shrunk() {
  history::Series series = quiet_series(2);
  for (history::Run& run : series.runs) run.contents.golden = "0123456789abcdef0123456789abcdef";
  series.runs[1].contents.golden = "fedcba9876543210fedcba9876543210";
  series.runs[1].candidate.set("switch.sdpa", "math");
  series.runs[1].taps.erase(series.runs[1].taps.begin());
  series.runs[1].logits.clear();
  return {history::timeline_of(std::move(series), kFirstNight_s + kDay_s)};
}

TEST(HistoryText, NamesTheGoldenThatChangedFirstAndWhatIsNoLongerCompared) {
  const std::string text = history_text(shrunk(), {Color::off, 200, 1});
  const std::size_t golden =
      text.find("! golden  0123456789ab -> fedcba987654  the golden changed");
  EXPECT_LT(golden, text.find("switch.sdpa")) << text;
  EXPECT_TRUE(has(text, "no longer compared\n  prose: layers.0\n  prose: <output> (logits)"))
      << text;
  EXPECT_TRUE(has(text, "REGRESSED, exit code 1")) << text;
}

TEST(HistoryJson, NamesTheGoldenThatChangedFirstAndWhatIsNoLongerCompared) {
  const auto night = nlohmann::json::parse(history_json(shrunk(), 1))["series"][0]["nights"][0];
  EXPECT_EQ(night["environment"][0]["key"], "golden");
  EXPECT_EQ(night["environment"][0]["after"], "fedcba9876543210fedcba9876543210");
  EXPECT_EQ(night["environment"][0]["sentence"], "the golden changed");
  EXPECT_TRUE(night["environment"][1]["sentence"].is_null());
  ASSERT_EQ(night["gone_taps"].size(), 2U);
  EXPECT_EQ(night["gone_taps"][0]["tap"], "layers.0");
  EXPECT_EQ(night["gone_taps"][1]["of"], "logits");
  EXPECT_EQ(night["new_taps"].size(), 0U);
  EXPECT_EQ(night["begins_at"]["tap"], "layers.0");
}

TEST(HistoryText, CallsADeviceAgainstItselfASelfComparison) {
  const std::string words = "SELF-COMPARISON: same device on both sides";
  EXPECT_FALSE(has(history_text(nights(), {Color::off, 100, 1}), words));
  history::Series series = quiet_series(3);
  for (history::Run& run : series.runs) run.candidate.set("device.name", "H200");
  const std::vector<Timeline> same = {
      history::timeline_of(std::move(series), kFirstNight_s + 2 * kDay_s)};
  EXPECT_TRUE(has(history_text(same, {Color::off, 100, 1}), words));
  const auto night = nlohmann::json::parse(history_json(same, 1))["series"][0]["nights"][0];
  EXPECT_EQ(night["self_comparison"],
            "same device on both sides, says nothing about another vendor");
  const auto other = nlohmann::json::parse(history_json(nights(), 1))["series"][0]["nights"][0];
  EXPECT_TRUE(other["self_comparison"].is_null());
}

TEST(HistoryText, ShowsAsManyNightsAsAskedForAndJudgesThoseAlone) {
  std::vector<Timeline> all = nights();
  EXPECT_TRUE(has_regressed(all, 1));
  all[0].series.runs.pop_back();
  all[0].changes.pop_back();
  EXPECT_FALSE(has_regressed(all, 100));
  EXPECT_FALSE(has(history_text(all, {Color::off, 100, 1}), "no GPU"));
  EXPECT_TRUE(
      has(history_text(all, {Color::off, 100, 100}), "infrastructure (exit code 3): no GPU"));
}

TEST(HistoryText, NoLineIsWiderThanThePage) {
  for (const int width : {60, 80, 100}) {
    const std::string text = history_text(nights(), {Color::off, width, 12});
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', start)) {
      EXPECT_LE(end - start, static_cast<std::size_t>(width)) << text.substr(start, end - start);
      start = end + 1;
    }
  }
}

TEST(HistoryJson, HasWhatTheTextHas) {
  const auto document = nlohmann::json::parse(history_json(nights(), 4));
  EXPECT_EQ(document["schema"], "parity-history/1");
  EXPECT_EQ(document["regressed"], true);
  const auto& series = document["series"][0];
  EXPECT_EQ(series["runs"], 12);
  EXPECT_EQ(series["period_s"], kDay_s);
  ASSERT_EQ(series["nights"].size(), 4U);
  const auto& last = series["nights"][3];
  EXPECT_EQ(last["time"], "2026-10-12T02:00:00Z");
  EXPECT_EQ(last["begins_at"]["tap"], "layers.1");
  EXPECT_EQ(last["verdicts"][0]["way"], "worse");
  EXPECT_EQ(last["drifts"][0]["kind"], "new_environment");
  EXPECT_EQ(last["nights_in_environment"], 3);
  EXPECT_TRUE(series["nights"][0]["begins_at"].is_null());
  EXPECT_EQ(series["nights"][0]["environment"][0]["key"], "library.torch");
}

TEST(HistoryOpenMetrics, IsOfTheNewestNightAndTheNewestJudgedOne) {
  std::vector<Timeline> all = nights();
  const std::string text = history_openmetrics(all);
  for (const char* line : {"parity_history_regressed{series=\"main\"} 1\n",
                           "parity_history_gate_passed{series=\"main\"} 1\n",
                           "parity_history_runs{series=\"main\",state=\"infrastructure\"} 1\n",
                           "parity_history_tap_introduced_nrmse{series=\"main\",case=\"prose\",tap="
                           "\"layers.1\"} 0.025\n",
                           "parity_history_run_time_seconds{series=\"main\"} 1791770400\n",
                           "# UNIT parity_history_logits_kl_mean_nats nats\n", "# EOF\n"}) {
    EXPECT_TRUE(has(text, line)) << line << text;
  }
  history::Series series = all[0].series;
  series.runs.push_back(unjudged_night(12, history::State::not_run));
  const std::string later =
      history_openmetrics({history::timeline_of(std::move(series), kFirstNight_s + 12 * kDay_s)});
  EXPECT_TRUE(has(later, "parity_history_regressed{series=\"main\"} 0\n"));
  EXPECT_TRUE(has(later, "parity_history_state{series=\"main\",state=\"not run\"} 1\n"));
  EXPECT_TRUE(has(later, "parity_history_judged_time_seconds{series=\"main\"} 1791770400\n"));
}

TEST(HistoryOpenMetrics, OfASeriesThatWasNeverJudgedHasItsState) {
  history::Series series;
  series.name = "new";
  series.runs = {unjudged_night(0, history::State::infrastructure)};
  const std::string text = history_openmetrics({history::timeline_of(std::move(series), 0)});
  EXPECT_TRUE(has(text, "parity_history_state{series=\"new\",state=\"infrastructure\"} 1\n"));
  EXPECT_FALSE(has(text, "parity_history_gate_passed"));
}

TEST(Dashboard, HasAPageForEachSeriesAndTheOverviewLast) {
  std::vector<Timeline> all = nights();
  for (const char* name : {"a/b", "A/b", "../x"}) {
    all.push_back(all[0]);
    all.back().series.name = name;
  }
  const std::vector<DashboardPage> pages = dashboard(all);
  std::vector<std::string> files;
  for (const DashboardPage& page : pages) files.push_back(page.file);
  EXPECT_EQ(files,
            (std::vector<std::string>{"series-main.html", "series-a-b.html", "series-A-b~2.html",
                                      "series-..-x.html", "index.html"}));
  for (const DashboardPage& page : pages) {
    EXPECT_EQ(page.text.rfind("<!doctype html>", 0), 0U);
    EXPECT_FALSE(has(page.text, "{{")) << page.file;
    EXPECT_FALSE(has(page.text, "http://")) << page.file;
  }
}

TEST(Dashboard, SaysThatNightsAreMissingSinceTheNewestOne) {
  std::vector<Timeline> all = {
      history::timeline_of(quiet_series(12), kFirstNight_s + 14 * kDay_s + kDay_s / 2)};
  EXPECT_EQ(late_text(all[0]), "no run since 2026-10-12: 3 nights missing");
  const std::vector<DashboardPage> pages = dashboard(all);
  EXPECT_TRUE(has(pages[0].text, ">no run since 2026-10-12: 3 nights missing; before that gate "));
  EXPECT_TRUE(has(pages[1].text, "Nights are missing since: main."));
  EXPECT_EQ(late_text(nights()[0]), "");
}

TEST(Dashboard, NamesCannotLeaveTheirPlace) {
  std::vector<Timeline> all = nights();
  all[0].series.name = "</script><b>{{data}}";
  for (history::Run& run : all[0].series.runs) {
    for (history::PlaceResult& tap : run.taps) tap.place.tap += "</script><script>alert(1)";
  }
  for (history::VerdictChange& change : all[0].changes[11].verdicts)
    change.place.tap += "</script><script>alert(1)";
  for (history::Drift& drift : all[0].changes[11].drifts)
    drift.place.tap += "</script><script>alert(1)";
  for (const DashboardPage& page : dashboard(all)) {
    EXPECT_FALSE(has(page.text, "<script>alert")) << page.file;
    EXPECT_FALSE(has(page.text, "<b>")) << page.file;
  }
}

}  // namespace
}  // namespace parity::report
