#include "history/store.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "error/error.h"
#include "history/made_nights.h"

namespace parity::history {
namespace {

namespace fs = std::filesystem;
using history_test::kDay_s;
using history_test::kFirstNight_s;
using history_test::quiet_night;
using history_test::unjudged_night;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "parity_history_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "history.sqlite";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What SQLite itself answers.
  std::string sql(const std::string& statement) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    std::string text;
    const auto append = [](void* out, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i)
        static_cast<std::string*>(out)
            ->append(values[i] != nullptr ? values[i] : "NULL")
            .append(" ");
      return 0;
    };
    char* problem = nullptr;
    sqlite3_exec(database, statement.c_str(), append, &text, &problem);
    if (problem != nullptr) text += problem;
    sqlite3_free(problem);
    sqlite3_close(database);
    return text.empty() ? text : text.substr(0, text.find_last_not_of(' ') + 1);
  }

  std::string refused(const std::function<void()>& call, ErrorKind kind) const {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
  }

  fs::path folder_;
  fs::path file_;
};

Run full_night() {
  history::Run run = quiet_night(3, 2);
  run.gate = Gate::failed;
  run.exit_code = 1;
  run.reason = "1 tap diverged";
  run.link = "reports/3.html";
  run.first_divergence = Place{"prose", "layers.1"};
  run.blame = {{{"prose", "layers.1"}, 0.03, 0.9}};
  run.cases.push_back({"code", Gate::failed});
  run.taps[1].verdict = run::Verdict::diverged;
  run.taps[1].figures.set(Metric::nrmse, INFINITY);
  run.taps[1].noise.set(Metric::nrmse, 0.25);
  run.logits[0].noise.set(Metric::kl_max, 0.5);
  run.suspect = 1;
  run.failed = 1;
  run.seconds = 2.5;
  run.contents = {"golden", "inputs", "weights", "other weights", "bounds"};
  return run;
}

TEST_F(Store, GivesBackWhatWasAdded) {
  const history::Run run = full_night();
  EXPECT_EQ(add(file_, run), Addition::added);
  const std::vector<Series> all = read(file_, "");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "main");
  ASSERT_EQ(all[0].runs.size(), 1U);
  const history::Run& got = all[0].runs[0];
  EXPECT_EQ(got.time_s, run.time_s);
  EXPECT_EQ(got.state, State::judged);
  EXPECT_EQ(got.gate, Gate::failed);
  EXPECT_EQ(got.exit_code, 1);
  EXPECT_EQ(got.reason, run.reason);
  EXPECT_EQ(got.link, run.link);
  EXPECT_EQ(got.model, run.model);
  EXPECT_EQ(got.policy, run.policy);
  EXPECT_EQ(got.first_divergence, run.first_divergence);
  ASSERT_EQ(got.blame.size(), 1U);
  EXPECT_EQ(got.blame[0].place.tap, "layers.1");
  EXPECT_EQ(got.blame[0].introduced_nrmse, 0.03);
  EXPECT_EQ(got.cases.size(), 2U);
  EXPECT_EQ(got.cases[1].gate, Gate::failed);
  EXPECT_EQ(got.candidate.get("library.torch"), "2.9.1");
  EXPECT_EQ(got.candidate.get("run.started"), "") << "differs every night";
  ASSERT_EQ(got.taps.size(), 2U);
  EXPECT_EQ(got.taps[1].place.tap, "layers.1");
  EXPECT_EQ(got.taps[1].verdict, run::Verdict::diverged);
  EXPECT_TRUE(std::isinf(got.taps[1].figures.get(Metric::nrmse)));
  EXPECT_EQ(got.taps[1].noise.get(Metric::nrmse), 0.25);
  EXPECT_TRUE(std::isnan(got.taps[0].noise.get(Metric::nrmse)));
  EXPECT_TRUE(std::isnan(got.taps[0].figures.get(Metric::truth_ratio)));
  EXPECT_EQ(got.logits[0].figures.get(Metric::kl_mean), 1e-5);
  EXPECT_EQ(got.logits[0].noise.get(Metric::kl_max), 0.5);
  EXPECT_EQ(got.seconds, 2.5);
  EXPECT_EQ(got.contents.golden, "golden");
  EXPECT_EQ(got.contents.inputs, "inputs");
  EXPECT_EQ(got.contents.reference_weights, "weights");
  EXPECT_EQ(got.contents.candidate_weights, "other weights");
  EXPECT_EQ(got.contents.policy, "bounds");
}

TEST_F(Store, ReadsTheResultsOfNoMoreNightsThanItTakesToTellTheNewest) {
  for (int night = 0; night < 70; ++night) {
    history::Run run = quiet_night(night, 1);
    if (night == 69) run.candidate.set("library.torch", "2.11.0");
    (void)add(file_, run);
  }
  const auto with_results = [&](std::size_t told) {
    std::size_t count = 0;
    for (const history::Run& run : read(file_, "main", told)[0].runs)
      count += run.taps.empty() ? 0U : 1U;
    return count;
  };
  EXPECT_EQ(read(file_, "main", 1)[0].runs.size(), 70U);
  EXPECT_EQ(with_results(1), 61U);
  EXPECT_EQ(with_results(kAllNights), 70U);
  (void)add(file_, unjudged_night(70, State::infrastructure));
  // The newest judged night, for whoever asks what is known at all.
  EXPECT_EQ(with_results(1), 1U);
}

TEST_F(Store, BringsAnOlderVersionUpToDate) {
  (void)add(file_, full_night());
  // As version 1 was: without what names stood for.
  sql("DROP VIEW nightly_run");
  for (const char* column :
       {"golden", "inputs", "reference_weights", "candidate_weights", "policy_digest"})
    sql(std::string("ALTER TABLE run DROP COLUMN ") + column);
  sql("CREATE VIEW nightly_run AS SELECT id AS run_id FROM run; PRAGMA user_version = 1");
  EXPECT_NE(refused([&] { (void)read(file_, ""); }, ErrorKind::store).find("older version 1"),
            std::string::npos);
  EXPECT_EQ(add(file_, full_night()), Addition::already_there);
  EXPECT_EQ(sql("PRAGMA user_version"), "1") << "nothing was added";
  EXPECT_EQ(add(file_, quiet_night(4)), Addition::added);
  EXPECT_EQ(sql("PRAGMA user_version"), "2");
  EXPECT_EQ(sql("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(sql("SELECT state, golden FROM nightly_run ORDER BY time LIMIT 1"), "judged");
  const std::vector<history::Run> runs = read(file_, "main")[0].runs;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].contents.golden, "");
  EXPECT_EQ(runs[0].taps.size(), 2U);
}

TEST_F(Store, KeepsTheSameThingOnce) {
  EXPECT_EQ(add(file_, full_night()), Addition::added);
  history::Run again = full_night();
  again.time_s += 5;
  again.link = "elsewhere";
  EXPECT_EQ(add(file_, again), Addition::already_there);
  EXPECT_EQ(sql("SELECT count(*), min(link) FROM run"), "1 reports/3.html");
  again.series = "other";
  EXPECT_EQ(add(file_, again), Addition::added);
}

TEST_F(Store, OrderOfAdditionDoesNotMatter) {
  std::vector<int> order = {4, 0, 3, 1, 2};
  for (const int night : order) (void)add(file_, quiet_night(night));
  const std::vector<history::Run> runs = read(file_, "main")[0].runs;
  for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_LT(runs[i - 1].time_s, runs[i].time_s);
}

TEST_F(Store, KeepsAnEnvironmentOnce) {
  for (int night = 0; night < 5; ++night) (void)add(file_, quiet_night(night));
  EXPECT_EQ(sql("SELECT count(*) FROM environment"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM place"), "5");
}

TEST_F(Store, IsWholeForSqlite) {
  (void)add(file_, full_night());
  (void)add(file_, unjudged_night(4, State::infrastructure));
  EXPECT_EQ(sql("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(sql("PRAGMA foreign_key_check"), "");
  EXPECT_EQ(sql("PRAGMA application_id"), std::to_string(0x70726974));
  EXPECT_EQ(sql("PRAGMA user_version"), "2");
  EXPECT_EQ(sql("SELECT state, passed FROM nightly_run ORDER BY time"),
            "judged 0 infrastructure NULL");
  EXPECT_EQ(sql("SELECT tap, nrmse FROM nightly_tap WHERE tap = 'layers.0'"), "layers.0 0.001");
}

TEST_F(Store, RefusesWhatIsNoHistory) {
  const auto add_one = [&] { (void)add(file_, full_night()); };
  const auto read_all = [&] { (void)read(file_, ""); };
  EXPECT_NE(refused(read_all, ErrorKind::usage).find("there is no history"), std::string::npos);
  EXPECT_FALSE(fs::exists(file_)) << "made by reading";
  std::ofstream(file_) << "not a database, but long enough to look like one or the other file";
  for (const auto& call : {std::function<void()>(add_one), std::function<void()>(read_all)})
    EXPECT_NE(refused(call, ErrorKind::store).find("is no history of parity"), std::string::npos);
  fs::remove(file_);
  sql("CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)");
  for (const auto& call : {std::function<void()>(add_one), std::function<void()>(read_all)})
    EXPECT_NE(refused(call, ErrorKind::store).find("but no history of parity"), std::string::npos);
  EXPECT_EQ(sql("SELECT count(*) FROM sqlite_master"), "1") << "something was added to it";
}

TEST_F(Store, RefusesANewerVersionAndKeepsIt) {
  (void)add(file_, full_night());
  sql("PRAGMA user_version = 3");
  const auto add_one = [&] { (void)add(file_, quiet_night(9)); };
  EXPECT_NE(refused(add_one, ErrorKind::store).find("has version 3"), std::string::npos);
  EXPECT_NE(refused([&] { (void)read(file_, ""); }, ErrorKind::store).find("use a newer parity"),
            std::string::npos);
  EXPECT_EQ(sql("SELECT count(*) FROM run"), "1");
}

TEST_F(Store, FillsAnEmptyFile) {
  std::ofstream{file_};
  EXPECT_EQ(add(file_, full_night()), Addition::added);
}

TEST_F(Store, NamesTheSeriesThereAre) {
  (void)add(file_, full_night());
  EXPECT_NE(refused([&] { (void)read(file_, "nightly"); }, ErrorKind::usage).find("it has main"),
            std::string::npos);
}

TEST_F(Store, TakesAdditionsAtTheSameTime) {
  constexpr int kThreads = 8;
  constexpr int kNights = 12;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int night = 0; night < kNights; ++night) {
        // Every night is added by two threads.
        (void)add(file_, quiet_night(thread / 2 * kNights + night));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sql("SELECT count(*), count(DISTINCT time) FROM run"), "48 48");
  EXPECT_EQ(sql("SELECT count(*) FROM tap_result"), std::to_string(48 * 4));
  EXPECT_EQ(sql("SELECT count(*) FROM series"), "1");
  EXPECT_EQ(sql("PRAGMA integrity_check"), "ok");
}

TEST_F(Store, PrunesByDays) {
  for (int night = 0; night < 100; ++night) (void)add(file_, quiet_night(night));
  const Pruned pruned = prune(file_, {30, std::nullopt, Thinning::none, ""});
  EXPECT_EQ(pruned.removed, 69);
  EXPECT_EQ(pruned.kept, 31);
  EXPECT_LT(pruned.after_bytes, pruned.before_bytes);
  EXPECT_EQ(sql("SELECT min(time) FROM run"), std::to_string(kFirstNight_s + 69 * kDay_s));
  EXPECT_EQ(sql("SELECT count(*) FROM tap_result WHERE run_id NOT IN (SELECT id FROM run)"), "0");
  EXPECT_EQ(sql("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(read(file_, "")[0].pruned_before_s, kFirstNight_s + 69 * kDay_s);
  EXPECT_EQ(prune(file_, {30, std::nullopt, Thinning::none, ""}).removed, 0);
}

TEST_F(Store, PrunesByRunsAndKeepsTheNewestOne) {
  for (int night = 0; night < 10; ++night) (void)add(file_, quiet_night(night));
  EXPECT_EQ(prune(file_, {std::nullopt, 4, Thinning::none, ""}).kept, 4);
  EXPECT_EQ(prune(file_, {std::nullopt, 1, Thinning::none, "main"}).kept, 1);
  EXPECT_EQ(sql("SELECT max(time) FROM run"), std::to_string(kFirstNight_s + 9 * kDay_s));
  refused([&] { (void)prune(file_, {1, std::nullopt, Thinning::none, "none"}); }, ErrorKind::usage);
}

TEST_F(Store, ThinsToOneNightAMonthAndKeepsFailures) {
  for (int night = 0; night < 92; ++night) {  // October, November, December
    history::Run run = quiet_night(night);
    if (night == 5 || night == 40) run.gate = Gate::failed;
    if (night == 31) run = unjudged_night(night, State::infrastructure);
    (void)add(file_, run);
  }
  const Pruned pruned = prune(file_, {10, std::nullopt, Thinning::monthly, ""});
  EXPECT_EQ(pruned.kept, 11 + 3 + 2);  // the newest, one a month, the failed ones
  EXPECT_EQ(sql("SELECT count(*) FROM run WHERE passed = 0"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM run WHERE state <> 'judged'"), "0");
  EXPECT_EQ(prune(file_, {10, std::nullopt, Thinning::monthly, ""}).removed, 0);
}

TEST_F(Store, RemovesWhatNoNightRefersToAnyMore) {
  history::Run old = full_night();
  old.time_s -= 400 * kDay_s;
  old.candidate.set("library.torch", "1.0");
  old.taps[0].place.tap = "gone";
  (void)add(file_, old);
  (void)add(file_, quiet_night(1));
  (void)prune(file_, {30, std::nullopt, Thinning::none, ""});
  EXPECT_EQ(sql("SELECT count(*) FROM place WHERE tap = 'gone'"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM fact WHERE value = '1.0'"), "0");
}

}  // namespace
}  // namespace parity::history
