// The text of --shard, the name of a shard's file and who records which case.
#include "pipeline/shard/shard_choice.h"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "error/error.h"
#include "model/device_choice.h"
#include "pipeline/shard/case_share.h"

namespace parity::pipeline {
namespace {

const std::map<std::string, std::string> kMpirun = {{"OMPI_COMM_WORLD_RANK", "2"},
                                                    {"OMPI_COMM_WORLD_SIZE", "4"},
                                                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}};

TEST(ShardChoice, TakesWhatALauncherSaysOrAPerson) {
  const ShardChoice launched = shard_choice_of("auto", kMpirun);
  EXPECT_EQ(launched.shard, (run::Shard{2, 4}));
  EXPECT_EQ(launched.local_rank, 1U);
  EXPECT_EQ(shard_choice_of("auto/4", kMpirun).shard, (run::Shard{2, 4}));
  const ShardChoice typed = shard_choice_of("0/3", kMpirun);
  EXPECT_EQ(typed.shard, (run::Shard{0, 3})) << "a person decides against any launcher";
  EXPECT_EQ(typed.local_rank, 1U) << "whose word on the machine still counts";
  EXPECT_EQ(shard_choice_of("0/3", {{"LOCAL_RANK", "abc"}}).local_rank, std::nullopt);
  EXPECT_EQ(shard_choice_of("65535/65536", {}).shard, (run::Shard{65535, 65536}));
}

TEST(ShardChoice, RefusesEveryOtherText) {
  for (const std::string text : {"",
                                 "auto/",
                                 "auto/0",
                                 "auto/x",
                                 "auto/4/4",
                                 "Auto",
                                 "4",
                                 "4/4",
                                 "-1/4",
                                 "1/-4",
                                 "1/0",
                                 "/4",
                                 "1/",
                                 "1/4x",
                                 "0x1/4",
                                 " 1/4",
                                 "1 /4",
                                 "1/65537",
                                 "99999999999999999999/4",
                                 "auto/-1"}) {
    SCOPED_TRACE(text);
    try {
      (void)shard_choice_of(text, kMpirun);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("--shard takes auto, auto/N or I/N"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(ShardChoice, NamesTheFilesOfARunAlike) {
  EXPECT_EQ(shard_path("runs/golden.h5", {1, 4}), "runs/golden.shard-1-of-4.h5");
  EXPECT_EQ(shard_path("golden", {0, 1}), "golden.shard-0-of-1");
  EXPECT_EQ(shard_path("a.b.h5", {10, 16}), "a.b.shard-10-of-16.h5");
}

TEST(CaseShare, GoesRoundWhereAllCasesCostTheSame) {
  EXPECT_EQ(share_of_cases({8, 8, 8, 8, 8}, 2), (std::vector<std::size_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(share_of_cases({0, 0, 0}, 2), (std::vector<std::size_t>{0, 1, 0}));
}

TEST(CaseShare, GivesTheLargestFirstToWhoHasLeast) {
  EXPECT_EQ(share_of_cases({1, 1, 1, 9, 4}, 2), (std::vector<std::size_t>{1, 1, 1, 0, 1}));
  // A sweep of 4 rows by 8 lengths over 4 processes: by turns one would have every long case.
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t rows : {1, 3, 4, 8})
    for (const std::uint64_t length : {1, 31, 32, 33, 127, 128, 129, 1025})
      sizes.push_back(rows * length);
  const std::vector<std::size_t> share = share_of_cases(sizes, 4);
  std::vector<std::uint64_t> loads(4, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) loads[share[i]] += sizes[i];
  EXPECT_EQ(*std::max_element(loads.begin(), loads.end()), 8200U) << "the largest case alone";
}

TEST(CaseShare, LeavesProcessesWithoutACaseWhereThereAreMore) {
  const std::vector<std::size_t> share = share_of_cases({5, 7}, 4);
  EXPECT_EQ(std::set<std::size_t>(share.begin(), share.end()), (std::set<std::size_t>{0, 1}));
  EXPECT_TRUE(share_of_cases({}, 4).empty());
}

TEST(CaseShare, CountsBytesOfAllTensors) {
  const tensor::HostTensor four(tensor::DType::float32, {1}, std::vector<std::byte>(4));
  tensor::ValueDict dict;
  dict.items = {{"a", {four}}, {"b", {tensor::ValueTuple{{{four}, {std::int64_t{1}}}}}}};
  EXPECT_EQ(size_of({dict}), 8U);
  EXPECT_EQ(size_of({}), 0U);
}

TEST(DeviceChoice, GivesEachProcessOfAMachineAGpuInTurn) {
  EXPECT_EQ(model::device_of_local_rank("cuda", 3, 8), "cuda:3");
  EXPECT_EQ(model::device_of_local_rank("auto", 1, 8), "cuda:1");
  EXPECT_EQ(model::device_of_local_rank("cuda", 9, 8), "cuda:1") << "more processes than GPUs";
  EXPECT_EQ(model::device_of_local_rank("cuda", 3, 1), "cuda:0")
      << "where the launcher shows each process its own alone";
}

TEST(DeviceChoice, LeavesADeviceThatAPersonNamed) {
  EXPECT_EQ(model::device_of_local_rank("cuda:0", 3, 8), "cuda:0");
  EXPECT_EQ(model::device_of_local_rank("cpu", 3, 8), "cpu");
  EXPECT_EQ(model::device_of_local_rank("auto", 3, 0), "auto") << "no GPU";
  EXPECT_EQ(model::device_of_local_rank("cuda", 3, 0), "cuda") << "refused where it is opened";
  EXPECT_EQ(model::device_of_local_rank("cpu", 3), "cpu");
}

}  // namespace
}  // namespace parity::pipeline
