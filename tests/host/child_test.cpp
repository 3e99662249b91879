// Children that really die: of signals, by exit code, by hanging, with and without output.
#include "host/child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parity::host {
namespace {

using std::chrono::milliseconds;

ChildEnd dying(const std::vector<std::string>& arguments,
               milliseconds limit = milliseconds(20'000)) {
  return run_child({PARITY_DYING_CHILD, arguments, own_environment(), limit});
}

TEST(RunChild, TellsEverySignalThatKillsIt) {
  struct Row {
    const char* how;
    int number;
    const char* name;
  };
  for (const Row& row : {Row{"ill", SIGILL, "SIGILL"}, Row{"segv", SIGSEGV, "SIGSEGV"},
                         Row{"abort", SIGABRT, "SIGABRT"}, Row{"fpe", SIGFPE, "SIGFPE"},
                         Row{"bus", SIGBUS, "SIGBUS"}}) {
    const ChildEnd end = dying({row.how});
    EXPECT_EQ(end.ending, Ending::signalled) << row.how;
    EXPECT_EQ(end.code, row.number) << row.how;
    EXPECT_EQ(signal_name(end.code), row.name);
    EXPECT_EQ(end.out, "step before\n") << row.how;
    EXPECT_FALSE(end.succeeded());
  }
}

TEST(RunChild, TellsAnIllegalInstructionThatWasReallyRun) {
  const ChildEnd end = dying({"run-illegal"});
  EXPECT_EQ(end.ending, Ending::signalled);
  EXPECT_EQ(end.code, SIGILL);
}

TEST(RunChild, EndsAHangAtItsTimeLimitAndKeepsWhatWasSaid) {
  for (const char* how : {"hang", "hang-ignoring-terminate", "hang-with-grandchild"}) {
    const ChildEnd end = dying({how}, milliseconds(700));
    EXPECT_EQ(end.ending, Ending::timed_out) << how;
    EXPECT_EQ(end.out, "step before\n") << how;
    EXPECT_GE(end.elapsed_s, 0.6) << how;
    EXPECT_LT(end.elapsed_s, 5) << how;
  }
}

TEST(RunChild, TellsExitCodesAndBothOutputs) {
  const ChildEnd fine = dying({"exit", "0"});
  EXPECT_TRUE(fine.succeeded());
  const ChildEnd end = dying({"exit", "7"});
  EXPECT_EQ(end.ending, Ending::exited);
  EXPECT_EQ(end.code, 7);
  EXPECT_EQ(end.err, "to standard error\n");
  const ChildEnd thrown = dying({"throw"});
  EXPECT_EQ(thrown.ending, Ending::signalled);
  EXPECT_EQ(thrown.code, SIGABRT);
  EXPECT_NE(thrown.err.find("what():  no kernel image"), std::string::npos) << thrown.err;
}

TEST(RunChild, DoesNotWaitForAGrandchildThatHoldsThePipes) {
  const auto start = std::chrono::steady_clock::now();
  const ChildEnd end = dying({"leave-grandchild"});
  EXPECT_TRUE(end.succeeded());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(RunChild, DoesNotReadForEverWhatADaemonWrites) {
  const auto start = std::chrono::steady_clock::now();
  const ChildEnd end = dying({"leave-flooding-grandchild"});
  EXPECT_TRUE(end.succeeded());
  EXPECT_EQ(end.out.rfind("step before\n", 0), 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(RunChild, DoesNotStartWithoutPipes) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  // Room for the first pipe and half of the second.
  const rlimit tight{static_cast<rlim_t>(next) + 3, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  const ChildEnd end = dying({"exit", "0"});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(end.ending, Ending::not_started);
  EXPECT_EQ(end.code, EMFILE);
  EXPECT_EQ(end.out, "");
}

TEST(RunChild, KeepsTheHeadOfEndlessOutput) {
  const ChildEnd end = dying({"flood"}, milliseconds(1000));
  EXPECT_EQ(end.out.size(), kMostOutput);
}

TEST(RunChild, SaysThatAProgramIsNotThere) {
  const auto environment = own_environment();
  EXPECT_EQ(run_child({"/nowhere/program", {}, environment, milliseconds(1000)}).ending,
            Ending::not_found);
  EXPECT_EQ(run_child({"no-such-tool", {}, environment, milliseconds(1000)}).ending,
            Ending::not_found);
}

TEST(RunChild, TellsAProgramThatDoesNotStartFromOneThatIsNotThere) {
  std::string file = testing::TempDir() + "parity-damaged-XXXXXX";
  const int descriptor = mkstemp(file.data());
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor,
                  "\x7f"
                  "ELF?",
                  5),
            5);
  ASSERT_EQ(fchmod(descriptor, 0700), 0);
  close(descriptor);
  const auto environment = own_environment();
  const ChildEnd damaged = run_child({file, {}, environment, milliseconds(1000)});
  EXPECT_EQ(damaged.ending, Ending::not_started);
  EXPECT_EQ(damaged.code, ENOEXEC);
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(run_child({file, {}, environment, milliseconds(1000)}).code, EACCES);
  ASSERT_EQ(unlink(file.c_str()), 0);
}

TEST(RunChild, FindsToolsByPathAndPassesArgumentsAndEnvironment) {
  const ChildEnd end = run_child({"sh",
                                  {"-c", "echo \"$WORD $1\"", "sh", "a b"},
                                  {{"PATH", "/usr/bin:/bin"}, {"WORD", "x"}},
                                  milliseconds(20'000)});
  EXPECT_TRUE(end.succeeded()) << end.err;
  EXPECT_EQ(end.out, "x a b\n");
}

TEST(RunChild, GivesBackTheSignalsThatParityIgnores) {
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  const auto size_before = std::signal(SIGXFSZ, SIG_IGN);
  const ChildEnd end = run_child({"grep",
                                  {"-E", "SigIgn:\\s*0+$", "/proc/self/status"},
                                  {{"PATH", "/usr/bin:/bin"}},
                                  milliseconds(20'000)});
  std::signal(SIGPIPE, pipe_before);
  std::signal(SIGXFSZ, size_before);
  EXPECT_TRUE(end.succeeded()) << "a signal is ignored: " << end.err;
}

TEST(RunChild, LeavesNoChildBehind) {
  (void)dying({"hang"}, milliseconds(300));
  (void)dying({"segv"});
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace parity::host
