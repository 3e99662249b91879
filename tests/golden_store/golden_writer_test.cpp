// A writer that fails, is killed or given up leaves what was there before, and nothing that looks
// complete.
#include "golden_store/golden_writer.h"

#include <random>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "error/error.h"
#include "golden_store/child_process.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using namespace testing;
using tensor::DType;

/// Goldens that fail in different places: small writes, large ones, compressed ones, much metadata.
SampleGolden golden_of_many_sizes(int small_taps) {
  SampleGolden golden = small_golden();
  std::vector<SampleTap>& taps = golden.cases[0].taps;
  for (int i = 0; i < small_taps; ++i) {
    taps.push_back(random_tap(module_id("layer." + std::to_string(i)), DType::float32, {2, 3}, 7));
  }
  taps.push_back(random_tap(module_id("large"), DType::float32, {300, 300}, 8));
  return golden;
}

struct Failure {
  ErrorKind kind;
  std::string message;
};

/// The error that `work` throws.
Failure failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::usage, ""};
}

TEST(GoldenWriter, SurvivesADiskThatIsFullAtAnyPlace) {
  const WriteOptions zstd{run::Compression{run::Packer::zstd, 1}};
  for (const WriteOptions& options : {WriteOptions{}, gzipped(1), zstd}) {
    const ScratchFolder folder;
    write_sample(folder / "golden.h5", small_golden());
    const std::string before = file_bytes(folder / "golden.h5");
    const SampleGolden golden = golden_of_many_sizes(150);
    write_sample(folder / "whole.h5", golden, options);
    const std::uintmax_t whole_bytes = std::filesystem::file_size(folder / "whole.h5");
    std::filesystem::remove(folder / "whole.h5");
    for (std::uintmax_t limit = 0; limit < whole_bytes; limit += 1 + whole_bytes / 24) {
      const int status = run_in_child([&] {
        limit_file_size(limit);
        write_sample(folder / "golden.h5", golden, options);
      });
      EXPECT_EQ(status, threw(ErrorKind::resource)) << "limit " << limit << " of " << whole_bytes;
      EXPECT_EQ(folder.names(), std::vector<std::string>{"golden.h5"}) << "limit " << limit;
    }
    EXPECT_TRUE(file_bytes(folder / "golden.h5") == before);
  }
}

TEST(GoldenWriter, WritesElsewhereAfterAFailure) {
  const ScratchFolder folder;
  const int status = run_in_child([&] {
    limit_file_size(100'000);
    EXPECT_THROW(write_sample(folder / "large.h5", golden_of_many_sizes(10)), Error);
    write_sample(folder / "small.h5", small_golden());
    static_cast<void>(GoldenReader(folder / "small.h5").read_tap(0, 0));
  });
  EXPECT_EQ(status, kFinished);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"small.h5"});
}

TEST(GoldenWriter, SurvivesARealFileSystemThatIsFull) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "disk");
  if (::mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "only root may mount a small file system";
  }
  write_sample(folder / "disk/golden.h5", small_golden());
  const std::string before = file_bytes(folder / "disk/golden.h5");
  std::vector<int> statuses;
  for (int i = 0; i < 5; ++i) {
    statuses.push_back(run_in_child(
        [&] { write_sample(folder / "disk/golden.h5", golden_of_many_sizes(20 * i)); }));
  }
  const bool intact = file_bytes(folder / "disk/golden.h5") == before;
  const auto entries = std::distance(std::filesystem::directory_iterator(folder / "disk"), {});
  ::umount((folder / "disk").c_str());
  for (const int status : statuses) EXPECT_EQ(status, threw(ErrorKind::resource));
  EXPECT_TRUE(intact);
  EXPECT_EQ(entries, 1);
}

TEST(GoldenWriter, SaysInOneSentenceThatTheDiskIsFull) {
  const ScratchFolder folder;
  const int status = run_in_child([&] {
    limit_file_size(20'000);
    const Failure failure =
        failure_of([&] { write_sample(folder / "golden.h5", golden_of_many_sizes(0)); });
    const bool clear = failure.message.find((folder / "golden.h5").string() +
                                            ": File too large; make room") != std::string::npos;
    std::exit(clear ? kFinished : 1);
  });
  EXPECT_EQ(status, kFinished);
}

TEST(GoldenWriter, KilledAtAnyMomentLeavesThePreviousGolden) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  std::mt19937 random(20);
  std::uniform_int_distribution<useconds_t> moment(0, 60'000);
  for (int round = 0; round < 25; ++round) {
    const pid_t child = start_child([&] {
      for (;;) write_sample(folder / "golden.h5", golden_of_many_sizes(40));
    });
    ::usleep(moment(random));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -SIGKILL);
    const GoldenReader reader(folder / "golden.h5");
    EXPECT_EQ(reader.read_tap(0, 0).shape(), (tensor::Shape{2, 4}));
    for (const std::string& name : folder.names()) {
      if (name == "golden.h5") continue;
      EXPECT_EQ(name.rfind(".golden.h5.tmp.", 0), 0U) << name;
    }
  }
}

TEST(GoldenWriter, WhatAKilledWriterLeftIsRefused) {
  const ScratchFolder folder;
  std::mt19937 random(21);
  std::uniform_int_distribution<useconds_t> moment(1'000, 30'000);
  int refused = 0;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = start_child([&] {
      GoldenWriter writer(folder / "golden.h5", {});
      writer.begin_case("case", {});
      for (std::int64_t call = 0;; ++call) {
        const SampleTap tap =
            random_tap({run::TapKind::module, "a", "", call, ""}, DType::float32, {50, 50}, 1);
        writer.add_tap(tap.record, tap.stored);
      }
    });
    ::usleep(moment(random));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -SIGKILL);
    for (const std::string& name : folder.names()) {
      EXPECT_THROW(GoldenReader(folder / name), Error) << name;
      std::filesystem::remove(folder / name);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "golden.h5"));
}

TEST(GoldenWriter, ReplacesGoldensAndEmptyFilesAlone) {
  const ScratchFolder folder;
  write_sample(folder / "whole", small_golden());
  const std::string golden = file_bytes(folder / "whole");
  write_file(folder / "cut", golden.substr(0, 100));
  write_file(folder / "damaged", golden.substr(0, 600) + "x" + golden.substr(601));
  write_file(folder / "empty", "");
  for (const char* name : {"whole", "cut", "damaged", "empty", "new"}) {
    EXPECT_NO_THROW(write_sample(folder / name, small_golden())) << name;
    static_cast<void>(GoldenReader(folder / name));
  }
  const std::pair<const char*, std::string> others[] = {
      {"notes.txt", "x"},
      {"weights.pt", "PK\x03\x04 and weights"},
      {"plain.h5", golden.substr(512)},
      {"block.h5", std::string(512, '\0') + golden.substr(512)},
      {"almost", golden.substr(0, 15)},
  };
  for (const auto& [name, content] : others) {
    write_file(folder / name, content);
    try {
      write_sample(folder / name, small_golden());
      ADD_FAILURE() << name << " was overwritten";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << name;
      EXPECT_NE(std::string(error.what()).find("exists and is not a golden"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(file_bytes(folder / name) == content) << name;
  }
  EXPECT_EQ(folder.names().size(), 10U);
}

TEST(GoldenWriter, LeavesNothingWhenItIsGivenUp) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  const std::string before = file_bytes(folder / "golden.h5");
  {
    GoldenWriter writer(folder / "golden.h5", {});
    EXPECT_EQ(folder.names().size(), 2U);
    writer.begin_case("case", {});
    const SampleTap tap = random_tap(module_id("a"), DType::float32, {100, 100}, 1);
    writer.add_tap(tap.record, tap.stored);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"golden.h5"});
  EXPECT_TRUE(file_bytes(folder / "golden.h5") == before);
}

TEST(GoldenWriter, LeavesNothingWhenAnExceptionPasses) {
  const ScratchFolder folder;
  const int status = run_in_child([&] {
    GoldenWriter writer(folder / "golden.h5", {});
    writer.begin_case("case", {});
    throw Error(ErrorKind::device, "the device is gone");
  });
  EXPECT_EQ(status, threw(ErrorKind::device));
  EXPECT_TRUE(folder.names().empty());
}

TEST(GoldenWriter, TwoWritersOfOneGoldenDoNotMix) {
  const ScratchFolder folder;
  GoldenWriter first(folder / "golden.h5", {});
  write_sample(folder / "golden.h5", golden_of_every_dtype({3}));
  const SampleGolden small = small_golden();
  first.begin_case("first", {});
  first.add_tap(small.cases[0].taps[0].record, small.cases[0].taps[0].stored);
  first.end_case({}, {});
  first.finish(small.header);
  EXPECT_EQ(GoldenReader(folder / "golden.h5").cases()[0].name, "first");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"golden.h5"});
}

TEST(GoldenWriter, RefusesPathsThatCannotBecomeAGolden) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "folder.h5");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  write_file(folder / "file", "text");
  const std::vector<std::pair<std::string, std::string>> table = {
      {(folder / "folder.h5").string(), "it is a folder"},
      {(folder / "folder.h5").string() + "/", "it is a folder"},
      {(folder / "missing/golden.h5").string(), "No such file or directory"},
      {(folder / "file/golden.h5").string(), "Not a directory"},
      {(folder / "pipe").string(), "not a regular file"},
      {"/dev/null", "not a regular file"},
      {"/proc/golden.h5", "cannot create a file in /proc"},
      {(folder / std::string(300, 'x')).string(), "File name too long"},
  };
  for (const auto& [path, reason] : table) {
    const Failure failure = failure_of([&] { GoldenWriter(path, {}); });
    EXPECT_EQ(failure.kind, ErrorKind::store) << path;
    EXPECT_NE(failure.message.find(reason), std::string::npos) << failure.message;
  }
  EXPECT_EQ(folder.names().size(), 3U);
}

TEST(GoldenWriter, FollowsALinkToAGolden) {
  const ScratchFolder folder;
  write_sample(folder / "real.h5", small_golden());
  std::filesystem::create_symlink("real.h5", folder / "link.h5");
  write_sample(folder / "link.h5", golden_of_every_dtype({2}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.h5"));
  EXPECT_EQ(GoldenReader(folder / "real.h5").cases()[0].taps.size(), tensor::all_dtypes().size());
}

TEST(GoldenWriter, FollowsLinksToAGoldenThatIsYetToBeMade) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("real.h5", folder / "link.h5");
  std::filesystem::create_symlink(folder / "link.h5", folder / "other.h5");
  write_sample(folder / "other.h5", small_golden());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.h5"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "other.h5"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "real.h5"));
  EXPECT_EQ(GoldenReader(folder / "real.h5").cases().size(), small_golden().cases.size());
}

TEST(GoldenWriter, RefusesContentsThatAGoldenCannotHold) {
  const ScratchFolder folder;
  const SampleTap tap = small_golden().cases[0].taps[0];
  const auto with_tap = [&](run::TapRecord record, std::size_t bytes) {
    return [&, record = std::move(record), bytes] {
      GoldenWriter writer(folder / "golden.h5", {});
      writer.begin_case("case", {});
      writer.add_tap(record, std::vector<std::byte>(bytes));
      writer.end_case({}, {});
    };
  };
  run::TapRecord deep = tap.record;
  deep.shape = tensor::Shape(33, 1);
  run::TapRecord rows = tap.record;
  rows.mode = run::StoreMode::rows;
  rows.rows = {1, 2};  // of two rows, 0 and 1
  run::TapRecord zero_name = tap.record;
  zero_name.id.path = std::string("a\0", 2);
  tensor::Value nested;
  for (int i = 0; i < 200; ++i) nested = {tensor::ValueList{{nested}}};
  const std::vector<std::pair<std::function<void()>, std::string>> table = {
      {with_tap(deep, 4), "the tap 'embed' has 33 dimensions, and HDF5 holds at most 32"},
      {with_tap(rows, 32), "rows that do not fit its shape 2x4"},
      {with_tap(zero_name, 32), "ends in a zero byte"},
      {[&] { GoldenWriter(folder / "golden.h5", {}).begin_case("", {}); }, "a case needs a name"},
      {[&] { GoldenWriter(folder / "golden.h5", {}).begin_case("a", nested); },
       "nested more than 100 levels"},
      {[&] { GoldenWriter(folder / "golden.h5", {}).finish({}); }, "no tap was recorded"},
      {[&] {
         GoldenWriter writer(folder / "golden.h5", {});
         writer.begin_case("a", {});
         writer.add_tap(tap.record, tap.stored);
         writer.add_tap(tap.record, tap.stored);
       },
       "the tap 'embed' came twice"},
      {[&] {
         GoldenWriter writer(folder / "golden.h5", {});
         writer.begin_case("a", {});
         writer.end_case({}, {});
         writer.begin_case("a", {});
       },
       "two cases are named 'a'"},
  };
  for (const auto& [work, reason] : table) {
    const Failure failure = failure_of(work);
    EXPECT_EQ(failure.kind, ErrorKind::store) << reason;
    EXPECT_NE(failure.message.find(reason), std::string::npos) << failure.message;
    EXPECT_TRUE(folder.names().empty()) << reason;
  }
}

}  // namespace
}  // namespace parity::golden_store
