// What becomes of unfinished files: ended by signals, killed, beside living ones, in folders that
// cannot be synced.
#include "golden_store/temporary_file.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error/error.h"
#include "golden_store/child_process.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace {
std::atomic<int> folder_sync_error{0};  ///< errno of fsync() of a folder; 0: as it is
}

/// Stands in for the library's: a disk that fails just at the folder is not to be had otherwise.
extern "C" int fsync(int file) {
  struct stat status {};
  if (folder_sync_error != 0 && ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = folder_sync_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace parity::golden_store {
namespace {

using namespace testing;

using Names = std::vector<std::string>;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// A process id that was given once and is free again.
pid_t dead_process() {
  const pid_t child = start_child([] {});
  wait_for(child);
  return child;
}

bool eventually_has_two_names(const ScratchFolder& folder) {
  for (int i = 0; i < 1000; ++i) {
    if (folder.names().size() == 2) return true;
    ::usleep(10'000);
  }
  return false;
}

/// A writer in a process of its own that waits in the middle of its work. `before` runs first.
pid_t start_waiting_writer(
    const std::filesystem::path& path, const std::function<void()>& before = [] {}) {
  return start_child([&] {
    before();
    TemporaryFile file(path);
    file.write_at(0, bytes_of("half"));
    for (;;) ::pause();
  });
}

TEST(TemporaryFile, IsRemovedByEverySignalThatEndsAProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const ScratchFolder folder;
    write_file(folder / "golden.h5", "before");
    const pid_t child = start_waiting_writer(folder / "golden.h5", [] {
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
    });
    ASSERT_TRUE(eventually_has_two_names(folder));
    ::usleep(20'000);  // from its name to its place in the table
    ::kill(child, signal);
    EXPECT_EQ(wait_for(child), -signal);
    EXPECT_EQ(folder.names(), Names{"golden.h5"}) << "signal " << signal;
    EXPECT_EQ(file_bytes(folder / "golden.h5"), "before");
  }
}

TEST(TemporaryFile, AnyMomentOfARecordingMayBeItsLast) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  for (int round = 0; round < 20; ++round) {
    const pid_t child = start_child([&] {
      for (;;) write_sample(folder / "golden.h5", small_golden());
    });
    ::usleep(static_cast<useconds_t>(5'000 + 3'100 * round));
    ::kill(child, SIGTERM);
    EXPECT_EQ(wait_for(child), -SIGTERM);
    static_cast<void>(GoldenReader(folder / "golden.h5"));
  }
  // One in 20 may be hit between a file's name and its place in the table; the next one finds it.
  write_sample(folder / "golden.h5", small_golden());
  EXPECT_EQ(folder.names(), Names{"golden.h5"});
}

TEST(TemporaryFile, LeavesIgnoredSignalsIgnored) {
  const ScratchFolder folder;
  const pid_t child =
      start_waiting_writer(folder / "golden.h5", [] { std::signal(SIGHUP, SIG_IGN); });
  for (int i = 0; i < 1000 && folder.names().empty(); ++i) ::usleep(10'000);
  ::usleep(20'000);
  ::kill(child, SIGHUP);
  ::usleep(50'000);
  EXPECT_EQ(folder.names().size(), 1U) << "the writer works on, as under nohup";
  ::kill(child, SIGTERM);
  EXPECT_EQ(wait_for(child), -SIGTERM);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(TemporaryFile, LeavesNoHandlerBehind) {
  const ScratchFolder folder;
  const auto handler = [] {
    struct sigaction action {};
    ::sigaction(SIGTERM, nullptr, &action);
    return action.sa_handler;
  };
  {
    TemporaryFile first(folder / "a");
    TemporaryFile second(folder / "b");
    second.publish();
    EXPECT_NE(handler(), SIG_DFL);
  }
  EXPECT_EQ(handler(), SIG_DFL);
}

TEST(TemporaryFile, AForkedChildRemovesNothingOfItsParent) {
  const ScratchFolder folder;
  const TemporaryFile file(folder / "golden.h5");
  const pid_t child = start_child([] {
    for (;;) ::pause();
  });
  ::usleep(20'000);
  ::kill(child, SIGTERM);
  EXPECT_EQ(wait_for(child), -SIGTERM);
  EXPECT_EQ(folder.names().size(), 1U);
}

TEST(TemporaryFile, MoreThanTheTableHoldsWorkAsWell) {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<TemporaryFile>> files;
  for (int i = 0; i < 40; ++i)
    files.push_back(std::make_unique<TemporaryFile>(folder / std::to_string(i)));
  files.clear();
  EXPECT_EQ(folder.names(), Names{});
}

TEST(TemporaryFile, TheNextOneRemovesWhatAKilledWriterLeft) {
  const ScratchFolder folder;
  write_file(folder / "golden.h5", "before");
  const pid_t child = start_waiting_writer(folder / "golden.h5");
  ASSERT_TRUE(eventually_has_two_names(folder));
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
  EXPECT_EQ(folder.names().size(), 2U);
  { const TemporaryFile other(folder / "another.h5"); }
  EXPECT_EQ(folder.names().size(), 2U) << "another name's files are another writer's";
  { const TemporaryFile next(folder / "golden.h5"); }
  EXPECT_EQ(folder.names(), Names{"golden.h5"});
}

TEST(TemporaryFile, RemovesNothingThatMayBeInUse) {
  const ScratchFolder folder;
  const std::string dead = std::to_string(dead_process());
  Names kept = {
      ".golden.h5.tmp." + std::to_string(::getppid()) + ".0",  // a living process
      ".golden.h5.tmp." + dead + ".7",                         // dead here, locked from elsewhere
      ".golden.h5.tmp." + dead,                                // no name of ours
      ".golden.h5.tmp." + dead + ".0.bak",
      ".golden.h5.tmp.-" + dead + ".0",
      ".golden.h5.tmp.0.0",
      ".golden.h5.tmp.x.0",
      "golden.h5.tmp." + dead + ".0",
      ".golden.h5x.tmp." + dead + ".0",
  };
  for (const std::string& name : kept) write_file(folder / name, "kept");
  std::filesystem::create_directory(folder / (".golden.h5.tmp." + dead + ".8"));
  kept.push_back(".golden.h5.tmp." + dead + ".8");
  write_file(folder / "target", "kept");
  std::filesystem::create_symlink(folder / "target", folder / (".golden.h5.tmp." + dead + ".9"));
  kept.push_back(".golden.h5.tmp." + dead + ".9");
  kept.emplace_back("target");
  write_file(folder / (".golden.h5.tmp." + dead + ".10"), "left over");
  // An id that came round again: this process's own, but nobody holds the file.
  write_file(folder / (".golden.h5.tmp." + std::to_string(::getpid()) + ".100000"), "left over");
  const Descriptor locked(::open((folder / kept[1]).c_str(), O_RDWR));
  ASSERT_EQ(::flock(locked.number(), LOCK_EX), 0);

  { const TemporaryFile next(folder / "golden.h5"); }

  Names names = folder.names();
  std::sort(names.begin(), names.end());
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(names, kept);
}

TEST(TemporaryFile, TwoOfOneNameLeaveEachOtherAlone) {
  const ScratchFolder folder;
  TemporaryFile first(folder / "golden.h5");
  TemporaryFile second(folder / "golden.h5");
  first.write_at(0, bytes_of("first"));
  second.write_at(0, bytes_of("second"));
  first.publish();
  EXPECT_EQ(file_bytes(folder / "golden.h5"), "first");
  second.publish();
  EXPECT_EQ(file_bytes(folder / "golden.h5"), "second");
  EXPECT_EQ(folder.names(), Names{"golden.h5"});
}

TEST(TemporaryFile, IsPublishedThoughItsFolderCannotBeSynced) {
  for (const int error : {EIO, EINVAL, ENOSPC}) {
    const ScratchFolder folder;
    folder_sync_error = error;
    TemporaryFile file(folder / "golden.h5");
    file.write_at(0, bytes_of("whole"));
    EXPECT_NO_THROW(file.publish()) << error;
    folder_sync_error = 0;
    EXPECT_EQ(file_bytes(folder / "golden.h5"), "whole");
  }
}

TEST(TemporaryFile, BlamesTheMachineForALackOfFileDescriptors) {
  const ScratchFolder folder;
  const int status = run_in_child([&] {
    const rlimit none{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &none);
    for (int file = 3; file < 64; ++file) ::close(file);
    const TemporaryFile file(folder / "golden.h5");
  });
  EXPECT_EQ(status, threw(ErrorKind::resource));
}

TEST(GoldenReader, BlamesTheMachineForALackOfFileDescriptors) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  const int status = run_in_child([&] {
    const rlimit none{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &none);
    for (int file = 3; file < 64; ++file) ::close(file);
    const GoldenReader reader(folder / "golden.h5");
  });
  EXPECT_EQ(status, threw(ErrorKind::resource));
}

}  // namespace
}  // namespace parity::golden_store
