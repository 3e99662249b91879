#include "host/doctor/tool_text.h"

#include <cerrno>
#include <csignal>

#include <gtest/gtest.h>

namespace parity::host {
namespace {

TEST(ToolText, FindsValuesBehindColonsAndNothingElse) {
  const std::string text =
      "Driver Version                    : 580.159.04\nCUDA Version : 13.0\nCUDA\n";
  EXPECT_EQ(value_of(text, "Driver Version"), "580.159.04");
  EXPECT_EQ(value_of(text, "CUDA Version"), "13.0");
  EXPECT_EQ(value_of(text, "CUDA"), "");
  EXPECT_EQ(value_of("", "CUDA"), "");
}

TEST(ToolText, TakesColoursOutOfLines) {
  // rocminfo colours its own messages wherever they go, and may leave the reset to the next line.
  EXPECT_EQ(lines_of("\x1b[31mUnable to open /dev/kfd\x1b[0m\n\x1b[0m=====  \n"),
            (std::vector<std::string>{"Unable to open /dev/kfd", "====="}));
  EXPECT_EQ(lines_of("a\x1b[1;31mb\x1b[Kc"), (std::vector<std::string>{"abc"}));
  EXPECT_EQ(lines_of("cut off\x1b[3"), (std::vector<std::string>{"cut off"}));
  EXPECT_EQ(lines_of("[0m is text"), (std::vector<std::string>{"[0m is text"}));
}

TEST(ToolText, FindsDottedNumbers) {
  EXPECT_EQ(version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu"),
            "570.86.15");
  EXPECT_EQ(version_in("13"), "");
  EXPECT_EQ(version_in("ends. 6.4."), "6.4");
  EXPECT_EQ(version_in(""), "");
}

TEST(ToolText, ComparesReleasesByNumber) {
  EXPECT_LT(*release_of("6.9.1"), *release_of("6.10"));
  EXPECT_EQ(*release_of("6.4.43482-0f2d60242"), (Release{6, 4}));
  EXPECT_FALSE(release_of("13"));
  EXPECT_FALSE(release_of("none"));
}

TEST(ToolText, TellsHowAToolEnded) {
  ChildEnd end;
  EXPECT_EQ(ending_text(end), "not found");
  end.ending = Ending::not_started;
  end.code = ENOEXEC;
  EXPECT_EQ(ending_text(end), "cannot be started: Exec format error");
  end.ending = Ending::exited;
  end.code = 9;
  end.err = "\n  NVIDIA-SMI has failed\nmore\n";
  EXPECT_EQ(ending_text(end), "exit code 9: NVIDIA-SMI has failed");
  end.err =
      "Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named "
      "'amdsmi'\n";
  EXPECT_EQ(ending_text(end), "exit code 9: ModuleNotFoundError: No module named 'amdsmi'");
  end.err = "\x1b[31mERROR\x1b[0m\n";
  EXPECT_EQ(ending_text(end), "exit code 9: ERROR");
  end.ending = Ending::signalled;
  end.code = SIGSEGV;
  EXPECT_EQ(ending_text(end), "killed by SIGSEGV");
  end.ending = Ending::timed_out;
  end.elapsed_s = 15.02;
  EXPECT_EQ(ending_text(end), "no answer within 15 s");
}

}  // namespace
}  // namespace parity::host
