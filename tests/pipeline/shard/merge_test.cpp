// Shards recorded apart and merged are the recording of one process; what is no complete set of one
// run in one environment is refused by name.
#include "pipeline/shard/merge.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/inspect.h"
#include "pipeline/compare/side_digests.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/record.h"
#include "pipeline/shard/run_id.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using golden_store::GoldenReader;
using test::FakeModel;
using test::module_tap;
using test::output_tap;

/// Five cases, of which the second is the longest.
const std::vector<CaseInput> kCases = {{"one", "ones:2"},
                                       {"two", "ones:9"},
                                       {"three", "zeros:2"},
                                       {"four", "randn:3"},
                                       {"five", "ones:4"}};

class Merge : public testing::Test {
 protected:
  [[nodiscard]] RecordRequest request(const std::string& name) const {
    RecordRequest request;
    request.cases = kCases;
    request.out = folder_ / name;
    return request;
  }

  RecordSummary record(RecordRequest request) {
    FakeModel model({module_tap("fc", {1, 2, 3, 4}), output_tap({5, 6, 7, 9})});
    model.facts = facts_;
    model.refuse = refuse_;
    golden_store::GoldenWriter writer(request.out, {});
    return record_cases(model, writer, request, progress_);
  }

  /// Shard `index` of `count`; its path.
  std::filesystem::path shard(std::size_t index, std::size_t count,
                              const std::function<void(RecordRequest&)>& change = {}) {
    RecordRequest one = request("golden.h5");
    if (change) change(one);
    one.shard = ShardChoice{{index, count}, std::nullopt};
    one.out = shard_path(one.out, one.shard->shard);
    (void)record(one);
    return one.out;
  }

  std::vector<std::filesystem::path> all_shards(std::size_t count) {
    std::vector<std::filesystem::path> paths;
    for (std::size_t i = 0; i < count; ++i) paths.push_back(shard(i, count));
    return paths;
  }

  MergeSummary merged(const std::vector<std::filesystem::path>& shards,
                      MergeForm form = MergeForm::copied) {
    return merge({shards, form, folder_ / "merged.h5"}, progress_);
  }

  void expect_refused(const std::vector<std::filesystem::path>& shards,
                      const std::vector<std::string>& words,
                      ErrorKind kind = ErrorKind::incompatible) {
    try {
      (void)merged(shards);
      ADD_FAILURE() << "merged";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "merged.h5"));
  }

  /// merged.h5 against single.h5, which both are there.
  void expect_recording_of_one_process() {
    const GoldenReader single(folder_ / "single.h5");
    const GoldenReader golden(folder_ / "merged.h5");
    const report::SideDigests left = digests_of(single);
    const report::SideDigests right = digests_of(golden);
    EXPECT_EQ(left.recording, right.recording);
    EXPECT_EQ(left.inputs, right.inputs);
    EXPECT_EQ(left.weights, right.weights);
    EXPECT_EQ(single.header().notes, golden.header().notes);
    EXPECT_FALSE(golden.shard().has_value());
    std::vector<std::string> own;
    for (const auto& [key, value] : golden.header().provenance.facts()) {
      if (single.header().provenance.get(key) != value) own.push_back(key);
    }
    EXPECT_EQ(own, (std::vector<std::string>{"run.shards", "run.id"}));
    CompareRequest compare;
    compare.golden = folder_ / "single.h5";
    const report::Report report = compare_recordings(compare, folder_ / "merged.h5", progress_);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_TRUE(report.environment_diff.empty());
    EXPECT_EQ(report.cases.size(), 5U);
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  NoProgress progress_;
  run::Provenance facts_;
  std::function<std::string(const tensor::Value&)> refuse_;
};

TEST_F(Merge, MakesTheGoldenOfOneProcessWhateverTheNumberOfShards) {
  (void)record(request("single.h5"));
  for (const std::size_t count : {1U, 3U, 7U}) {
    std::vector<std::filesystem::path> shards = all_shards(count);
    std::reverse(shards.begin(), shards.end());
    for (const MergeForm form : {MergeForm::copied, MergeForm::linked}) {
      SCOPED_TRACE(count);
      const MergeSummary summary = merged(shards, form);
      EXPECT_EQ(summary.cases, 5U);
      EXPECT_EQ(summary.shards, count);
      expect_recording_of_one_process();
    }
  }
}

TEST_F(Merge, TellsAnEmptyShardFromAMissingOne) {
  const std::vector<std::filesystem::path> shards = all_shards(7);
  EXPECT_TRUE(GoldenReader(shards[6]).cases().empty());
  EXPECT_EQ(merged(shards).cases, 5U);
  std::filesystem::remove(folder_ / "merged.h5");
  expect_refused({shards.begin(), shards.end() - 1},
                 {"shard 6 of 7", "golden.shard-6-of-7.h5", "is missing", "--shard 6/7"});
}

TEST_F(Merge, NamesEveryMissingShardUpToAFew) {
  const std::filesystem::path one = shard(1, 9);
  expect_refused({one},
                 {"shard 0 of 9", "shard 2 of 9", "shard 5 of 9", "and 3 more", "are missing"});
  std::filesystem::rename(one, folder_ / "renamed.h5");
  expect_refused({folder_ / "renamed.h5"}, {"shard 0 of 9, shard 2 of 9"});
}

TEST_F(Merge, RefusesAShardThatComesTwice) {
  std::vector<std::filesystem::path> shards = all_shards(2);
  std::filesystem::copy_file(shards[1], folder_ / "again.h5");
  shards.push_back(folder_ / "again.h5");
  expect_refused(shards, {"golden.shard-1-of-2.h5", "again.h5", "are both shard 1 of 2"});
}

TEST_F(Merge, RefusesWhatIsNoShard) {
  (void)record(request("single.h5"));
  std::vector<std::filesystem::path> shards = all_shards(2);
  shards.push_back(folder_ / "single.h5");
  expect_refused(shards, {"single.h5 is no shard"});
  expect_refused({folder_ / "single.h5"}, {"single.h5 is no shard"});
}

TEST_F(Merge, RefusesShardsOfAnotherRunAndSaysHowItDiffers) {
  const std::filesystem::path own = shard(0, 2);
  const std::vector<std::pair<std::function<void(RecordRequest&)>, std::string>> others = {
      {[](RecordRequest& other) { other.cases[1].spec = "ones:8"; }, "other inputs or cases"},
      {[](RecordRequest& other) { other.cases.pop_back(); }, "other inputs or cases"},
      {[](RecordRequest& other) { other.cases[0].name = "first"; }, "other inputs or cases"},
      {[](RecordRequest& other) { std::swap(other.cases[0], other.cases[1]); }, "other inputs"},
      {[](RecordRequest& other) { other.settings.seed = 7; }, "another --seed"},
      {[](RecordRequest& other) { other.settings.dtype = tensor::DType::float16; },
       "another --dtype"},
      {[](RecordRequest& other) { other.taps.skip = {"fc"}; }, "another --skip"},
      {[](RecordRequest& other) {
         other.store = {run::StoreMode::digest, 0};
       },
       "another --store"},
      {[](RecordRequest& other) { other.repeats = 1; }, "another --repeat"},
      {[](RecordRequest& other) { other.settings.threads = 3; }, "another --threads"},
      {[](RecordRequest& other) { other.settings.sdpa = run::Sdpa::math; }, "another --sdpa"},
      {[](RecordRequest& other) {
         other.compression = run::Compression{run::Packer::zstd, 3};
       },
       "another --compress"},
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    SCOPED_TRACE(i);
    const std::filesystem::path foreign = shard(1, 2, others[i].first);
    expect_refused({own, foreign}, {"golden.shard-1-of-2.h5 is of another run", others[i].second});
  }
  expect_refused({own, shard(1, 3)}, {"shard 1 of 3", "shard 0 of 2", "different runs"});
}

TEST_F(Merge, HasOneRunForOneCommandOnAnyDevice) {
  FakeModel model({output_tap({1})});
  const EarlyInputs inputs = load_early(kCases, 0, {});
  RecordRequest one = request("one.h5");
  RecordRequest other = request("other.h5");
  other.settings.device = "cuda:3";
  other.source.model = "/elsewhere/model.pt";
  EXPECT_EQ(run_id(one, model.description(), inputs), run_id(other, model.description(), inputs));
  run::ModelDescription weights = model.description();
  weights.all_weights.bytes[0] ^= 1U;
  EXPECT_NE(run_id(one, model.description(), inputs), run_id(one, weights, inputs));
}

TEST_F(Merge, RefusesShardsThatAreDamagedOrUnfinishedByName) {
  const std::vector<std::filesystem::path> shards = all_shards(2);
  const auto size = std::filesystem::file_size(shards[1]);
  std::filesystem::resize_file(shards[1], size - 1);
  expect_refused(shards, {"golden.shard-1-of-2.h5"}, ErrorKind::store);
  std::filesystem::resize_file(shards[1], 0);
  std::filesystem::resize_file(shards[1], size);
  expect_refused(shards, {"golden.shard-1-of-2.h5", "never finished"}, ErrorKind::store);
  std::filesystem::remove(shards[1]);
  expect_refused(shards, {"golden.shard-1-of-2.h5", "No such file"}, ErrorKind::store);
}

/// Rewrites the shard with another word about itself.
void forge(const std::filesystem::path& path,
           const std::function<void(run::ShardRecord&)>& change) {
  run::ShardRecord record;
  const std::filesystem::path forged = path.parent_path() / "forged.h5";
  {
    const GoldenReader shard(path);
    record = shard.shard().value();
    change(record);
    golden_store::GoldenWriter writer(forged, {});
    for (std::size_t i = 0; i < shard.cases().size(); ++i) writer.copy_case(shard, i);
    writer.finish(shard.header(), record);
  }
  std::filesystem::rename(forged, path);
}

TEST_F(Merge, RefusesShardsThatDoNotHoldEveryCaseOnce) {
  std::vector<std::filesystem::path> shards = all_shards(2);
  const run::ShardRecord other = GoldenReader(shards[0]).shard().value();
  forge(shards[1], [&](run::ShardRecord& record) {
    record.positions.pop_back();
    record.positions.insert(record.positions.begin(), other.positions[0]);
    std::sort(record.positions.begin(), record.positions.end());
  });
  expect_refused(shards, {"both hold case", "record all shards again"});
  shards[1] = shard(1, 2);
  for (const std::filesystem::path& path : shards) {
    forge(path, [](run::ShardRecord& record) { record.case_count = std::size_t{1} << 60U; });
  }
  expect_refused(shards, {"hold 5 cases of a run of 1152921504606846976"});
}

TEST_F(Merge, LeavesTheGoldenThatWasThereWhenItRefuses) {
  (void)record(request("merged.h5"));
  const std::filesystem::path one = shard(0, 2);
  EXPECT_THROW((void)merged({one}), Error);
  EXPECT_EQ(GoldenReader(folder_ / "merged.h5").cases().size(), 5U);
}

TEST_F(Merge, KeepsWhatWasLeftOutInTheOrderOfTheCases) {
  refuse_ = [](const tensor::Value& inputs) {
    const auto& tensor = std::get<tensor::HostTensor>(inputs.data);
    return tensor.shape()[0] == 2 ? std::string("two are too few") : std::string();
  };
  const auto optional = [](RecordRequest& one) {
    for (CaseInput& input : one.cases) input.need = Need::optional;
  };
  RecordRequest whole = request("single.h5");
  optional(whole);
  (void)record(whole);
  const GoldenReader single(folder_ / "single.h5");
  ASSERT_EQ(single.header().notes.size(), 2U);
  (void)merged({shard(0, 2, optional), shard(1, 2, optional)});
  const GoldenReader golden(folder_ / "merged.h5");
  EXPECT_EQ(golden.header().notes, single.header().notes);
  EXPECT_EQ(digests_of(golden).recording, digests_of(single).recording);
}

TEST_F(Merge, RefusesARunOfWhichNoCaseWasRecorded) {
  refuse_ = [](const tensor::Value&) { return "nothing fits"; };
  const auto optional = [](RecordRequest& one) {
    for (CaseInput& input : one.cases) input.need = Need::optional;
  };
  expect_refused({shard(0, 2, optional), shard(1, 2, optional)},
                 {"no shard holds a case", "nothing fits"});
}

TEST_F(Merge, RefusesNumbersOfTwoEnvironments) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"device.name", "NVIDIA A100"},
                                                        {"device.driver", "550.1"},
                                                        {"library.torch", "2.9.0"},
                                                        {"switch.fp32_precision", "tf32"},
                                                        {"switch.threads", "3"}}) {
    SCOPED_TRACE(key);
    facts_ = {};
    facts_.set("device.type", "cpu");
    facts_.set(key, "as it was");
    const std::filesystem::path one = shard(0, 2);
    facts_.set(key, value);
    const std::filesystem::path other = shard(1, 2);
    expect_refused({one, other}, {"golden.shard-1-of-2.h5", key, value, "as it was"});
  }
}

TEST_F(Merge, JoinsFactsThatDifferFromMachineToMachine) {
  facts_.set("device.type", "cuda");
  facts_.set("device.memory_bytes", "100");
  facts_.set("switch.threads", "8");
  facts_.set("library.cudnn", "91900");
  std::vector<std::filesystem::path> shards = {shard(0, 3)};
  facts_ = {};
  facts_.set("device.type", "cuda");
  facts_.set("device.memory_bytes", "101");
  facts_.set("switch.threads", "16");
  shards.push_back(shard(1, 3));
  facts_.set("device.memory_bytes", "100");
  shards.push_back(shard(2, 3));
  (void)merged(shards);
  const GoldenReader golden(folder_ / "merged.h5");
  const run::Provenance& facts = golden.header().provenance;
  EXPECT_EQ(facts.get("device.memory_bytes"), "100 | 101");
  EXPECT_EQ(facts.get("switch.threads"), "8 | 16") << "of a GPU, which it does not change";
  EXPECT_EQ(facts.get("library.cudnn"), "91900") << "which the others had no need to load";
  EXPECT_EQ(facts.get("run.shards"), "3");
}

TEST_F(Merge, IgnoresTheMachineOfAShardWithoutCases) {
  std::vector<std::filesystem::path> shards = all_shards(6);
  facts_.set("device.name", "another");
  shards[5] = shard(5, 6);
  ASSERT_TRUE(GoldenReader(shards[5]).cases().empty());
  (void)merged(shards);
  EXPECT_EQ(GoldenReader(folder_ / "merged.h5").header().provenance.get("device.name"), "");
}

TEST_F(Merge, SaysOfAShardThatItIsNoWholeRecording) {
  const std::filesystem::path one = shard(0, 2);
  const auto mentions = [](const std::vector<std::string>& notes) {
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("is shard 0 of 2 with 2 of 5 cases") != std::string::npos;
    });
  };
  EXPECT_TRUE(mentions(inspect(one, "").header.notes));
  CompareRequest compare;
  compare.golden = one;
  EXPECT_TRUE(mentions(compare_recordings(compare, one, progress_).notes));
  EXPECT_NO_THROW((void)inspect(shard(6, 7), "")) << "a shard without cases";
}

}  // namespace
}  // namespace parity::pipeline
