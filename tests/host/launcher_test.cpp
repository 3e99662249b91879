// What every launcher's variables say, alone, nested and against each other.
#include "host/launcher.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::host {
namespace {

struct Accepted {
  std::string what;
  Environment environment;
  std::optional<std::size_t> count;
  run::Shard shard;
  std::optional<std::size_t> local_rank;
};

const Environment kSrun = {{"SLURM_JOB_ID", "7"},         {"SLURM_STEP_ID", "0"},
                           {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "4"},
                           {"SLURM_PROCID", "3"},         {"SLURM_LOCALID", "1"}};
const Environment kBatchScript = {
    {"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}};
const Environment kMpirun = {{"OMPI_COMM_WORLD_RANK", "2"},
                             {"OMPI_COMM_WORLD_SIZE", "4"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                             {"PMIX_RANK", "2"}};
const Environment kTorchrun = {{"RANK", "9"}, {"WORLD_SIZE", "16"}, {"LOCAL_RANK", "1"}};
const Environment kIndexedJob = {{"JOB_COMPLETION_INDEX", "5"}};

Environment both(Environment one, const Environment& more) {
  one.insert(more.begin(), more.end());
  return one;
}

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}

std::vector<Accepted> accepted() {
  return {
      {"srun", kSrun, {}, {3, 4}, 1},
      {"srun of a Slurm that gives no count of the step",
       with(kSrun, "SLURM_STEP_NUM_TASKS", ""),
       {},
       {3, 4},
       1},
      {"srun with PMI2", both(kSrun, {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), {}, {3, 4}, 1},
      {"srun with PMIx", both(kSrun, {{"PMIX_RANK", "3"}}), {}, {3, 4}, 1},
      {"Open MPI", kMpirun, {}, {2, 4}, 2},
      {"Open MPI in a batch script of Slurm", both(kMpirun, kBatchScript), {}, {2, 4}, 2},
      {"Open MPI whose daemons srun started, one a node",
       both({{"SLURM_STEP_ID", "0"},
             {"SLURM_STEP_NUM_TASKS", "2"},
             {"SLURM_PROCID", "1"},
             {"SLURM_LOCALID", "0"}},
            kMpirun),
       {},
       {2, 4},
       2},
      {"Hydra of MPICH",
       {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}},
       {},
       {1, 2},
       1},
      {"MVAPICH2",
       {{"MV2_COMM_WORLD_RANK", "0"},
        {"MV2_COMM_WORLD_SIZE", "2"},
        {"MV2_COMM_WORLD_LOCAL_RANK", "0"}},
       {},
       {0, 2},
       0},
      {"torchrun", kTorchrun, {}, {9, 16}, 1},
      {"torchrun on each of two nodes that srun started",
       both({{"SLURM_STEP_ID", "0"},
             {"SLURM_STEP_NUM_TASKS", "2"},
             {"SLURM_PROCID", "1"},
             {"SLURM_LOCALID", "0"}},
            kTorchrun),
       {},
       {9, 16},
       1},
      {"torchrun in a pod of an indexed Job", both(kIndexedJob, kTorchrun), {}, {9, 16}, 1},
      {"an indexed Job", kIndexedJob, 8, {5, 8}, {}},
      {"PMIx alone", {{"PMIX_RANK", "0"}}, 3, {0, 3}, {}},
      {"a count that the launcher gives as well", kMpirun, 4, {2, 4}, 2},
      {"one process", {{"RANK", "0"}, {"WORLD_SIZE", "1"}}, {}, {0, 1}, {}},
      {"variables that are set and empty count as unset", with(kMpirun, "RANK", ""), {}, {2, 4}, 2},
      {"a count without a rank says nothing", both(kMpirun, {{"WORLD_SIZE", "9"}}), {}, {2, 4}, 2},
  };
}

TEST(Launcher, SaysWhichProcessThisIs) {
  for (const Accepted& row : accepted()) {
    SCOPED_TRACE(row.what);
    const run::Shard shard = launched_shard(row.environment, row.count);
    EXPECT_EQ(shard.index, row.shard.index);
    EXPECT_EQ(shard.count, row.shard.count);
    EXPECT_EQ(local_rank(row.environment), row.local_rank);
  }
}

struct Refused {
  std::string what;
  Environment environment;
  std::optional<std::size_t> count;
  std::string words;
};

std::vector<Refused> refused() {
  return {
      {"no launcher",
       {{"HOME", "/root"}},
       {},
       "finds no launcher's variables (JOB_COMPLETION_INDEX"},
      {"no launcher, and a count", {}, 4, "finds no launcher's variables"},
      {"a batch script that forgot srun",
       kBatchScript,
       {},
       "no step of srun's, so that srun did not start this process"},
      {"a shell in an allocation",
       {{"SLURM_JOB_ID", "7"},
        {"SLURM_STEP_ID", "4294967290"},
        {"SLURM_STEP_NUM_TASKS", "1"},
        {"SLURM_PROCID", "0"}},
       {},
       "no step of srun's, so that srun did not start this process"},
      {"a rank of Slurm's without its step",
       {{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}},
       {},
       "finds SLURM_PROCID set, but SLURM_STEP_ID is no step of srun's"},
      {"a rank beyond the tasks, where the step gives no count",
       with(with(kSrun, "SLURM_STEP_NUM_TASKS", ""), "SLURM_PROCID", "6"),
       {},
       "SLURM_PROCID is 6 of 4 (SLURM_NTASKS)"},
      {"an indexed Job without a count", kIndexedJob, {}, "give --shard auto/N"},
      {"an index beyond the count", kIndexedJob, 5, "auto/5 has no such process"},
      {"another count than the launcher's", kMpirun, 8, "auto/8 expects another number"},
      {"a rank without a count", {{"RANK", "1"}}, {}, "WORLD_SIZE, of how many, is not set"},
      {"two launchers with other ranks",
       both(kSrun, {{"RANK", "0"}, {"WORLD_SIZE", "4"}}),
       {},
       "Slurm says process 3 of 4 (SLURM_PROCID, SLURM_STEP_NUM_TASKS), torchrun says process 0"},
      {"a stale torchrun inside mpirun",
       both(kMpirun, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}),
       {},
       "contradict each other"},
      {"an outer launcher that started more",
       both(kSrun, {{"RANK", "1"}, {"WORLD_SIZE", "2"}}),
       {},
       "contradict each other"},
      {"an index of a Job that is no outer one's",
       both(kIndexedJob, kMpirun),
       {},
       "Kubernetes says process 5 (JOB_COMPLETION_INDEX)"},
      {"PMIx of another process", with(kMpirun, "PMIX_RANK", "7"), {}, "contradict each other"},
      {"no number",
       with(kMpirun, "OMPI_COMM_WORLD_RANK", "two"),
       {},
       "OMPI_COMM_WORLD_RANK is 'two'"},
      {"a negative number", with(kTorchrun, "RANK", "-1"), {}, "RANK is '-1'"},
      {"half a number", with(kTorchrun, "WORLD_SIZE", "16x"), {}, "WORLD_SIZE is '16x'"},
      {"a number beyond all processes",
       with(kTorchrun, "WORLD_SIZE", "99999999999999999999"),
       {},
       "is no number of a process"},
      {"a rank that is the count", with(kTorchrun, "RANK", "16"), {}, "RANK is 16 of 16"},
      {"no process at all", with(kTorchrun, "WORLD_SIZE", "0"), {}, "RANK is 9 of 0"},
  };
}

TEST(Launcher, RefusesWhatCannotBeMeantInOneSentence) {
  for (const Refused& row : refused()) {
    SCOPED_TRACE(row.what);
    try {
      const run::Shard shard = launched_shard(row.environment, row.count);
      ADD_FAILURE() << "taken as " << run::to_string(shard);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find(row.words), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(Launcher, ReadsTheVariablesOfTheDocument) {
  std::ifstream in(PARITY_DOCS "/scale-out.md");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::set<std::string> names;
  for (const std::string& name : launcher_variables()) {
    EXPECT_TRUE(names.insert(name).second) << name << " is read for two launchers";
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos)
        << "docs/scale-out.md does not name " << name;
  }
}

TEST(Launcher, HasNoLocalRankOutsideALauncher) {
  EXPECT_EQ(local_rank({}), std::nullopt);
  EXPECT_EQ(local_rank(kBatchScript), std::nullopt) << "a batch script is one process";
  EXPECT_THROW((void)local_rank({{"LOCAL_RANK", "first"}}), Error);
}

}  // namespace
}  // namespace parity::host
