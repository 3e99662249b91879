#include "history/changes.h"

#include <gtest/gtest.h>

#include "history/made_nights.h"

namespace parity::history {
namespace {

using history_test::kDay_s;
using history_test::kFirstNight_s;
using history_test::quiet_night;
using history_test::quiet_series;
using history_test::Random;
using history_test::set_figure;
using history_test::unjudged_night;

Timeline timeline(Series series) {
  const std::int64_t now_s = series.runs.back().time_s;
  return timeline_of(std::move(series), now_s);
}

/// Indices of the nights that regressed.
std::vector<std::size_t> regressed(const Timeline& timeline) {
  std::vector<std::size_t> nights;
  for (std::size_t i = 0; i < timeline.changes.size(); ++i) {
    if (timeline.changes[i].regression == Regression::regressed) nights.push_back(i);
  }
  return nights;
}

using Nights = std::vector<std::size_t>;

TEST(Changes, NothingRegressesInNightsThatAreAlike) {
  const Timeline result = timeline(quiet_series(30));
  EXPECT_EQ(regressed(result), Nights{});
  EXPECT_EQ(result.changes[29].sentence, "gate passed, nothing regressed");
  EXPECT_TRUE(result.changes[29].environment.empty()) << result.changes[29].environment[0].key;
  EXPECT_EQ(result.changes[29].same_environment, 29U);
}

TEST(Changes, NoisyNightsDoNotCryWolf) {
  Series series = quiet_series(30, 60);
  Random random(7);
  for (history::Run& run : series.runs) {
    for (std::size_t tap = 0; tap < run.taps.size(); ++tap) {
      // Some layers are noisier than others: 1 to 12 % from night to night.
      const double deviation = 0.01 + 0.0018 * static_cast<double>(tap);
      set_figure(run, tap, Metric::nrmse, 0.004 * (1 + deviation * random.normal()));
      set_figure(run, tap, Metric::introduced_nrmse, 0.001 * (1 + deviation * random.normal()));
    }
  }
  EXPECT_EQ(regressed(timeline(std::move(series))), Nights{});
}

TEST(Changes, AStepIsSeenOnItsNightAtItsLayerAndNotAfterwards) {
  Series series = quiet_series(30);
  set_figure(series.runs[20], 2, Metric::introduced_nrmse, 0.002);
  set_figure(series.runs[20], 2, Metric::nrmse, 0.003);
  set_figure(series.runs[20], 3, Metric::nrmse, 0.003);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), Nights{20});
  const NightChanges& night = result.changes[20];
  ASSERT_EQ(night.drifts.size(), 3U);
  EXPECT_EQ(night.drifts[0].kind, DriftKind::step);
  EXPECT_EQ(trouble_of(result.series.runs[20], night)->tap, "layers.2");
  EXPECT_EQ(
      night.sentence,
      "gate passed, but 3 figures are beyond their own noise, first at layers.2 in case prose");
}

TEST(Changes, ASlowRiseIsSeen) {
  Series series = quiet_series(30);
  for (std::size_t night = 0; night < 30; ++night)
    set_figure(series.runs[night], 1, Metric::nrmse,
               0.004 * (1 + 0.02 * static_cast<double>(night)));
  const Timeline result = timeline(std::move(series));
  ASSERT_FALSE(regressed(result).empty());
  EXPECT_EQ(result.changes[29].drifts.size(), 1U);
  EXPECT_EQ(result.changes[29].drifts[0].kind, DriftKind::slow);
  EXPECT_EQ(result.changes[29].drifts[0].place.tap, "layers.1");
}

TEST(Changes, WhatRoundingCannotTellIsNoStep) {
  Series series = quiet_series(30);
  set_figure(series.runs[20], 1, Metric::nrmse, 0.00109);                  // 9 %
  set_figure(series.runs[21], 1, Metric::nrmse, 0.001 + 0.00390625 / 17);  // below u/16
  set_figure(series.runs[22], 1, Metric::ulp_p99, 8);                      // the next bin
  EXPECT_EQ(regressed(timeline(std::move(series))), Nights{});
}

TEST(Changes, RecordedNoiseIsNoStep) {
  Series series = quiet_series(12);
  set_figure(series.runs[11], 1, Metric::nrmse, 0.0029);
  EXPECT_EQ(regressed(timeline(series)), Nights{11});
  series.runs[11].taps[1].noise.set(Metric::nrmse, 0.0007);
  EXPECT_EQ(regressed(timeline(series)), Nights{});
}

TEST(Changes, AnEnvironmentIsNamedAndWhatMovedWithItIsNoRegression) {
  Series series = quiet_series(30);
  for (std::size_t night = 15; night < 30; ++night) {
    series.runs[night].candidate.set("library.torch", "2.11.0");
    series.runs[night].candidate.set("switch.sdpa", "math");
    series.runs[night].candidate.set("switch.threads", "4");
    set_figure(series.runs[night], 1, Metric::nrmse, 0.002);
  }
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), Nights{});
  const NightChanges& night = result.changes[15];
  ASSERT_EQ(night.environment.size(), 3U);
  EXPECT_EQ(night.environment[0].key, "switch.sdpa");
  EXPECT_TRUE(night.environment[0].changes_numbers);
  EXPECT_EQ(night.environment[1].key, "library.torch");
  // A GPU computes the same whatever the threads of its host.
  EXPECT_EQ(night.environment[2].key, "switch.threads");
  EXPECT_FALSE(night.environment[2].changes_numbers);
  EXPECT_EQ(night.environment[1].before, "2.9.1");
  EXPECT_EQ(night.environment[1].after, "2.11.0");
  ASSERT_EQ(night.moves.size(), 1U);
  EXPECT_EQ(night.moves[0].place.tap, "layers.1");
  EXPECT_EQ(night.same_environment, 0U);
  EXPECT_TRUE(result.changes[16].environment.empty());
}

TEST(Changes, ThreadsChangeNumbersOnACpu) {
  Series series = quiet_series(2);
  for (history::Run& run : series.runs) run.candidate.set("device.type", "cpu");
  series.runs[1].candidate.set("switch.threads", "4");
  const Timeline result = timeline(std::move(series));
  ASSERT_EQ(result.changes[1].environment.size(), 1U);
  EXPECT_TRUE(result.changes[1].environment[0].changes_numbers);
}

/// Nights whose names stand for something, as the reports of newer versions say.
Series series_with_contents(int nights) {
  Series series = quiet_series(nights);
  for (history::Run& run : series.runs)
    run.contents = {"golden", "inputs", "weights", "weights", "policy"};
  return series;
}

TEST(Changes, WhatANameStandsForIsTheFirstFact) {
  Series series = series_with_contents(12);
  series.runs[10].contents = {"other golden", "other inputs", "others", "others", "other policy"};
  series.runs[10].candidate.set("switch.sdpa", "math");
  series.runs[11].contents.policy = "other policy";
  const Timeline result = timeline(std::move(series));
  EXPECT_TRUE(result.changes[9].environment.empty());
  std::vector<std::string> sentences;
  for (const FactChange& fact : result.changes[10].environment) sentences.push_back(fact.sentence);
  EXPECT_EQ(sentences,
            (std::vector<std::string>{"the golden changed", "the inputs changed",
                                      "the model's weights changed", "the golden's weights changed",
                                      "the policy's bounds changed", ""}));
  EXPECT_EQ(result.changes[10].environment[0].before, "golden");
  EXPECT_EQ(result.changes[10].environment[0].after, "other golden");
  EXPECT_FALSE(result.changes[10].environment[4].changes_numbers);
  EXPECT_EQ(regressed(result), Nights{});
}

TEST(Changes, OtherWeightsOrInputsAreANewEnvironmentAndOtherValuesOrBoundsAreNot) {
  for (std::string Contents::*member :
       {&Contents::golden, &Contents::policy, &Contents::candidate_weights}) {
    Series series = series_with_contents(12);
    series.runs[11].contents.*member = "other";
    EXPECT_EQ(timeline(std::move(series)).changes[11].same_environment, 11U);
  }
  for (std::string Contents::*member : {&Contents::inputs, &Contents::reference_weights}) {
    Series series = series_with_contents(12);
    series.runs[11].contents.*member = "other";
    EXPECT_EQ(timeline(std::move(series)).changes[11].same_environment, 0U);
  }
}

TEST(Changes, NightsThatDoNotSayWhatTheirNamesStoodForAreLikeTheNextThatDoes) {
  Series series = series_with_contents(12);
  for (std::size_t night = 0; night < 10; ++night) series.runs[night].contents = {};
  const Timeline result = timeline(std::move(series));
  EXPECT_TRUE(result.changes[10].environment.empty());
  EXPECT_EQ(result.changes[11].same_environment, 11U);
}

TEST(Changes, AStepBeyondAllNightsIsSeenInANewEnvironmentToo) {
  Series series = quiet_series(10);
  series.runs[9].candidate.set("library.torch", "2.11.0");
  set_figure(series.runs[9], 1, Metric::nrmse, 0.022);  // 4 times 0.001 and 4.5 u are 0.0216
  // 4 times 0.0005 and 1 u are 0.0059.
  set_figure(series.runs[9], 2, Metric::introduced_nrmse, 0.0058);
  set_figure(series.runs[9], 3, Metric::introduced_nrmse, 0.006);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), Nights{9});
  ASSERT_EQ(result.changes[9].drifts.size(), 2U);
  EXPECT_EQ(result.changes[9].drifts[0].kind, DriftKind::new_environment);
  EXPECT_EQ(result.changes[9].drifts[0].metric, Metric::nrmse);
  EXPECT_EQ(result.changes[9].drifts[1].place.tap, "layers.3");
  EXPECT_EQ(result.changes[9].moves.size(), 1U) << "told twice";
}

TEST(Changes, OtherRoundingInANewEnvironmentIsNoStepWhereEarlierNightsWereIdentical) {
  Series series = quiet_series(10);
  for (history::Run& night : series.runs) {
    for (const Metric metric : {Metric::nrmse, Metric::introduced_nrmse, Metric::ulp_p99})
      set_figure(night, 1, metric, 0);
  }
  series.runs[9].candidate.set("library.torch", "2.11.0");
  // The largest that bench/history/new_environments.py measures: 3.41 u and 0.46 u.
  set_figure(series.runs[9], 1, Metric::nrmse, 0.0133);
  set_figure(series.runs[9], 1, Metric::introduced_nrmse, 0.0018);
  set_figure(series.runs[9], 1, Metric::ulp_p99, 512);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), Nights{});
  EXPECT_EQ(result.changes[9].moves.size(), 3U);
}

TEST(Changes, AnEnvironmentThatComesBackHasItsEarlierNights) {
  Series series = quiet_series(20);
  series.runs[18].candidate.set("switch.threads", "4");
  set_figure(series.runs[19], 1, Metric::nrmse, 0.002);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(result.changes[19].same_environment, 18U);
  EXPECT_EQ(regressed(result), Nights{19});
}

TEST(Changes, AReferencesEnvironmentIsToldApart) {
  Series series = quiet_series(3);
  series.runs[2].reference.set("device.driver", "580");
  const Timeline result = timeline(std::move(series));
  ASSERT_EQ(result.changes[2].environment.size(), 1U);
  EXPECT_EQ(result.changes[2].environment[0].key, "reference device.driver");
  EXPECT_EQ(result.changes[2].environment[0].before, "");
}

TEST(Changes, VerdictsGetWorseOrBetter) {
  using run::Verdict;
  struct Row {
    Verdict before;
    Verdict after;
    Way way;
  };
  for (const Row& row : {Row{Verdict::within, Verdict::diverged, Way::worse},
                         Row{Verdict::within, Verdict::suspect, Way::worse},
                         Row{Verdict::suspect, Verdict::diverged, Way::worse},
                         Row{Verdict::diverged, Verdict::non_finite, Way::worse},
                         Row{Verdict::diverged, Verdict::within, Way::better},
                         Row{Verdict::suspect, Verdict::identical, Way::better},
                         Row{Verdict::identical, Verdict::within, Way::same},
                         Row{Verdict::within, Verdict::closer, Way::same}}) {
    Series series = quiet_series(2);
    series.runs[0].taps[1].verdict = row.before;
    series.runs[1].taps[1].verdict = row.after;
    const Timeline result = timeline(std::move(series));
    ASSERT_EQ(result.changes[1].verdicts.size(), 1U) << run::name(row.after);
    EXPECT_EQ(result.changes[1].verdicts[0].way, row.way)
        << run::name(row.before) << " -> " << run::name(row.after);
    EXPECT_EQ(result.changes[1].regression == Regression::regressed, row.way == Way::worse);
  }
}

TEST(Changes, AFailedGateIsARegressionAlsoOnTheFirstNightAndWhileItLasts) {
  Series series = quiet_series(4);
  for (const std::size_t night : {0U, 2U, 3U}) {
    series.runs[night].gate = Gate::failed;
    series.runs[night].reason = "1 tap diverged";
    series.runs[night].first_divergence = Place{"prose", "layers.2"};
  }
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), (Nights{0, 2, 3}));
  EXPECT_EQ(result.changes[2].sentence,
            "gate failed, first at layers.2 in case prose: 1 tap diverged");
  EXPECT_EQ(result.changes[3].sentence,
            "gate still fails, since 2026-10-03, first at layers.2 in case prose: 1 tap diverged");
}

TEST(Changes, BlameIsWhereTroubleBegins) {
  history::Run run = quiet_night(0);
  NightChanges changes;
  EXPECT_FALSE(trouble_of(run, changes));
  changes.drifts = {{{"prose", "layers.3"}, Metric::nrmse},
                    {{"prose", "layers.1"}, Metric::introduced_nrmse}};
  EXPECT_EQ(trouble_of(run, changes)->tap, "layers.1");
  run.first_divergence = Place{"prose", "layers.2"};
  EXPECT_EQ(trouble_of(run, changes)->tap, "layers.2");
  run.blame = {{{"prose", "layers.0"}, 0.03, 1}};
  EXPECT_EQ(trouble_of(run, changes)->tap, "layers.0");
}

TEST(Changes, ANightWithoutAReportIsNoRegressionAndIsLookedPast) {
  Series series = quiet_series(12);
  series.runs[5] = unjudged_night(5, State::infrastructure);
  series.runs[6] = unjudged_night(6, State::not_run);
  series.runs[7] = unjudged_night(7, State::no_judgement);
  set_figure(series.runs[11], 1, Metric::nrmse, 0.003);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), Nights{11});
  EXPECT_EQ(result.changes[5].sentence, "infrastructure (exit code 3): no GPU");
  EXPECT_EQ(*result.changes[8].previous, 4U);
  EXPECT_TRUE(result.changes[8].environment.empty());
}

TEST(Changes, AFailedTapIsNotUsual) {
  Series series = quiet_series(20);
  for (std::size_t night = 8; night < 14; ++night) {
    series.runs[night].taps[1].verdict = run::Verdict::diverged;
    set_figure(series.runs[night], 1, Metric::nrmse, 0.9);
  }
  set_figure(series.runs[19], 1, Metric::nrmse, 0.003);
  const Timeline result = timeline(std::move(series));
  ASSERT_EQ(result.changes[19].drifts.size(), 1U);
  EXPECT_EQ(result.changes[19].drifts[0].usual, 0.001);
}

TEST(Changes, CasesThatComeAreNamedAndThoseThatGoAreARegression) {
  Series series = quiet_series(3);
  series.runs[1].cases.push_back({"code", Gate::passed});
  PlaceResult tap = series.runs[1].taps[0];
  tap.place.case_name = "code";
  series.runs[1].taps.push_back(tap);
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(result.changes[1].new_cases, std::vector<std::string>{"code"});
  EXPECT_EQ(result.changes[2].gone_cases, std::vector<std::string>{"code"});
  // The case stands for its taps.
  EXPECT_TRUE(result.changes[1].new_places.empty());
  EXPECT_TRUE(result.changes[2].gone_places.empty());
  EXPECT_EQ(regressed(result), Nights{2});
  EXPECT_EQ(result.changes[2].sentence, "gate passed, but 1 case is no longer compared");
}

TEST(Changes, TapsThatComeAreNamedAndThoseThatGoAreARegression) {
  Series series = quiet_series(5);
  series.runs[2].taps.erase(series.runs[2].taps.begin() + 1, series.runs[2].taps.begin() + 3);
  series.runs[4].logits.clear();
  const Timeline result = timeline(std::move(series));
  EXPECT_EQ(regressed(result), (Nights{2, 4}));
  const NightChanges& gone = result.changes[2];
  ASSERT_EQ(gone.gone_places.size(), 2U);
  EXPECT_EQ(gone.gone_places[0].place.tap, "layers.1");
  EXPECT_EQ(gone.gone_places[1].place.tap, "layers.2");
  EXPECT_EQ(gone.sentence,
            "gate passed, but 2 taps are no longer compared, first at layers.1 in case prose");
  ASSERT_EQ(result.changes[3].new_places.size(), 2U);
  EXPECT_EQ(result.changes[3].sentence, "gate passed, nothing regressed");
  EXPECT_EQ(result.changes[4].sentence,
            "gate passed, but 1 output has no logits any more, first at <output> in case prose");
}

TEST(Changes, WhatWasNotTestedIsNotMissed) {
  for (const run::Verdict verdict :
       {run::Verdict::additional, run::Verdict::missing, run::Verdict::untested}) {
    Series series = quiet_series(2);
    series.runs[0].taps[1].verdict = verdict;
    series.runs[1].taps.erase(series.runs[1].taps.begin() + 1);
    EXPECT_EQ(regressed(timeline(std::move(series))), Nights{}) << run::name(verdict);
  }
}

TEST(Changes, AreTheSameWhateverIsToldOfOtherNights) {
  Series series = quiet_series(90);
  for (std::size_t night = 70; night < 90; ++night)
    series.runs[night].candidate.set("library.torch", "2.11.0");
  set_figure(series.runs[89], 2, Metric::nrmse, 0.01);
  series.runs[88] = unjudged_night(88, State::infrastructure);
  const Timeline all = timeline(series);
  for (const std::size_t told : {1U, 3U, 25U}) {
    const Timeline some = timeline_of(series, series.runs.back().time_s, told);
    ASSERT_EQ(some.changes.size(), 90U);
    EXPECT_EQ(some.changes[89 - told].sentence, "");
    for (std::size_t night = 90 - told; night < 90; ++night) {
      EXPECT_EQ(some.changes[night].sentence, all.changes[night].sentence);
      EXPECT_EQ(some.changes[night].drifts.size(), all.changes[night].drifts.size());
      EXPECT_EQ(some.changes[night].previous, all.changes[night].previous);
      EXPECT_EQ(some.changes[night].same_environment, all.changes[night].same_environment);
    }
  }
}

TEST(Changes, MissingNightsAreNamed) {
  Series series = quiet_series(10);
  series.runs.erase(series.runs.begin() + 4);
  const Timeline result = timeline_of(std::move(series), kFirstNight_s + 11 * kDay_s);
  ASSERT_EQ(result.rhythm.gaps.size(), 2U);
  EXPECT_EQ(result.rhythm.gaps[0].times_s, std::vector<std::int64_t>{kFirstNight_s + 4 * kDay_s});
  EXPECT_EQ(result.rhythm.gaps[1].after, 8U);
}

}  // namespace
}  // namespace parity::history
