#include "error/last_words.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parity {
namespace {

struct End {
  int status = 0;
  std::string said;
};

/// How a child that runs `body` ends, and what it says on standard error.
End end_of(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], 2);
    body();
    _exit(0);
  }
  close(ends[1]);
  End end;
  std::array<char, 256> buffer{};
  for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
    end.said.append(buffer.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  waitpid(child, &end.status, 0);
  return end;
}

TEST(LastWords, SayWhatWasGoingOnAndEndAsAFailedDevice) {
  for (const auto& [number, name] :
       {std::pair(SIGABRT, "SIGABRT"), std::pair(SIGSEGV, "SIGSEGV"), std::pair(SIGILL, "SIGILL"),
        std::pair(SIGFPE, "SIGFPE"), std::pair(SIGBUS, "SIGBUS")}) {
    const End end = end_of([number = number] {
      std::signal(number, SIG_DFL);  // a sanitizer's own handler would stay in charge
      const LastWords words("running model.pt");
      note_last_tap("encoder.0#1");
      note_last_tap("encoder.\x1b[1m");
      raise(number);
    });
    ASSERT_TRUE(WIFEXITED(end.status)) << name;
    EXPECT_EQ(WEXITSTATUS(end.status), 3) << name;
    EXPECT_EQ(end.said.rfind("parity: " + std::string(name) +
                                 " ended the process while running model.pt, behind tap "
                                 "encoder.?[1m: ",
                             0),
              0U)
        << end.said;
    EXPECT_EQ(end.said.find('\n'), end.said.size() - 1) << "one line: " << end.said;
  }
}

/// Never ends by itself; nothing here is left out by the compiler.
int fill_stack(int depth) {
  std::array<volatile char, 4096> page{};
  page[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : fill_stack(depth + 1) + page[0];
}

TEST(LastWords, AreSaidOfAFullStack) {
  const End end = end_of([] {
    std::signal(SIGSEGV, SIG_DFL);
    const LastWords words("running model.pt");
    static_cast<void>(fill_stack(0));
  });
  ASSERT_TRUE(WIFEXITED(end.status)) << end.status;
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_EQ(end.said.rfind("parity: SIGSEGV ended the process while running model.pt: ", 0), 0U)
      << end.said;
}

TEST(LastWords, AreNotSaidOfASignalFromOutside) {
  const End end = end_of([] {
    std::signal(SIGABRT, SIG_DFL);
    const LastWords words("running model.pt");
    const pid_t self = getpid();
    if (fork() == 0) {
      kill(self, SIGABRT);
      _exit(0);
    }
    for (;;) pause();
  });
  ASSERT_TRUE(WIFSIGNALED(end.status));
  EXPECT_EQ(WTERMSIG(end.status), SIGABRT);
  EXPECT_EQ(end.said, "");
}

TEST(LastWords, LetAnEarlierHandlerRunFirst) {
  const End end = end_of([] {
    std::signal(SIGABRT, [](int) { static_cast<void>(!write(2, "removed\n", 8)); });
    const LastWords words("running model.pt");
    std::abort();
  });
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_NE(end.said.find("\nremoved\n"), std::string::npos) << end.said;
}

TEST(LastWords, LeaveNothingBehind) {
  const End end = end_of([] {
    std::signal(SIGABRT, SIG_DFL);
    { const LastWords words("running model.pt"); }
    note_last_tap("after");
    raise(SIGABRT);
  });
  ASSERT_TRUE(WIFSIGNALED(end.status));
  EXPECT_EQ(WTERMSIG(end.status), SIGABRT);
  EXPECT_EQ(end.said, "");
}

TEST(LastWords, AreCutWhereTheyAreTooLong) {
  const End end = end_of([] {
    std::signal(SIGABRT, SIG_DFL);
    const LastWords words(std::string(5000, 'm'));
    raise(SIGABRT);
  });
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_NE(end.said.find(std::string(511, 'm') + ": a kernel"), std::string::npos);
}

}  // namespace
}  // namespace parity
