// The folder for goldens, on the real filesystem.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

class Storage : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "parity-store-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    subject_.hdf5_version = "1.10.8";
    subject_.out = folder_;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] run::Diagnosis checked() const {
    const System system = System::own();
    const View view{system, subject_};
    run::Diagnosis diagnosis;
    check_storage(view, diagnosis);
    return diagnosis;
  }

  std::filesystem::path folder_;
  Subject subject_;
};

TEST_F(Storage, IsFineWithRoomAndLeavesNothingBehind) {
  subject_.planned_bytes = 4096;
  EXPECT_EQ(run::worst(checked()), run::Level::ok);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Storage, IsTooSmallForARecordingThatIsLarger) {
  subject_.planned_bytes = std::uint64_t{1} << 60U;
  const run::Diagnosis diagnosis = checked();
  ASSERT_EQ(run::worst(diagnosis), run::Level::problem);
  EXPECT_NE(diagnosis.findings.back().seen.find("the planned recording takes 1.2 EB"),
            std::string::npos)
      << diagnosis.findings.back().seen;
}

TEST_F(Storage, TellsARecordingThatFailsFromOneThatIsSlow) {
  subject_.planned_problem = "killed by SIGSEGV";
  EXPECT_EQ(run::worst(checked()), run::Level::problem);
  subject_.planned_problem.clear();
  subject_.planned_is_slow = true;
  EXPECT_EQ(run::worst(checked()), run::Level::warning);
}

TEST_F(Storage, SaysWhyAFolderTakesNoFile) {
  subject_.out = folder_ / "nowhere";
  const run::Diagnosis diagnosis = checked();
  ASSERT_EQ(run::worst(diagnosis), run::Level::problem);
  EXPECT_EQ(diagnosis.findings.back().fix.front().command, "mkdir -p " + subject_.out.string());
  subject_.out = folder_ / "my $(dir) x";
  EXPECT_EQ(checked().findings.back().fix.front().command,
            "mkdir -p '" + subject_.out.string() + "'");
  subject_.out = "/proc";
  EXPECT_EQ(run::worst(checked()), run::Level::problem);
}

}  // namespace
}  // namespace parity::host
