// The trial of devices with children that really die: a program that dies takes the place of
// parity's own.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

/// Findings when the trial of the CPU ends as the dying child is told.
run::Diagnosis tried(const std::string& how, std::chrono::milliseconds limit) {
  const System::RunTool run = [how](const ChildCall& call) {
    ChildCall dying = call;
    dying.arguments = {how};
    return run_child(dying);
  };
  const System system("/nowhere", own_environment(), {}, real_node, run);
  Subject subject;
  subject.program = PARITY_DYING_CHILD;
  subject.device = "cpu";
  subject.smoke_limit = limit;
  const View view{system, subject};
  run::Diagnosis diagnosis;
  check_by_running(view, diagnosis);
  return diagnosis;
}

TEST(CheckByRunning, TurnsEveryDeathIntoAProblemWithItsLastStep) {
  struct Row {
    const char* how;
    const char* seen;
    const char* why;
  };
  for (const Row& row :
       {Row{"ill", "cpu: killed by SIGILL during: before", "this processor lacks"},
        Row{"run-illegal", "cpu: killed by SIGILL during: before", "this processor lacks"},
        Row{"segv", "cpu: killed by SIGSEGV during: before", "do not fit each other"},
        Row{"abort", "cpu: killed by SIGABRT during: before", "gave up by itself"},
        Row{"throw", "it said: terminate called", "gave up by itself"},
        Row{"exit", "cpu: exit code 1: to standard error during: before",
            "fail in the same way"}}) {
    const run::Diagnosis diagnosis = tried(row.how, std::chrono::seconds(20));
    ASSERT_EQ(diagnosis.findings.size(), 1U) << row.how;
    const run::Finding& finding = diagnosis.findings.front();
    EXPECT_EQ(finding.level, run::Level::problem) << row.how;
    EXPECT_NE(finding.seen.find(row.seen), std::string::npos) << finding.seen;
    EXPECT_NE(finding.why.find(row.why), std::string::npos) << finding.why;
  }
}

TEST(CheckByRunning, ReportsAHangWithinItsTimeLimit) {
  const auto start = std::chrono::steady_clock::now();
  const run::Diagnosis diagnosis = tried("hang", std::chrono::milliseconds(1000));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().seen, "cpu: no answer within 1 s during: before");
  EXPECT_EQ(diagnosis.findings.front().fix.back().command, "parity doctor --time-limit 300");
}

TEST(CheckByRunning, DoesNotTakeSilenceForSuccess) {
  // It exits with 0 and says nothing of being done.
  const run::Diagnosis diagnosis = tried("leave-grandchild", std::chrono::seconds(20));
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings.front().level, run::Level::problem);
}

}  // namespace
}  // namespace parity::host
