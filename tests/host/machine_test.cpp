#include "host/machine.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace parity::host {
namespace {

class Machine : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "parity-machine-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::filesystem::path root_;
};

TEST_F(Machine, ReadsProcessorKernelAndDistribution) {
  write("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nmodel name\t: other\n");
  write("proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
  write("etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n");
  const run::Provenance facts = machine_facts(root_);
  EXPECT_EQ(facts.get("host.cpu"), "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(facts.get("host.kernel"), "6.8.0-45-generic");
  EXPECT_EQ(facts.get("host.os"), "Ubuntu 24.04.1 LTS");
}

TEST_F(Machine, LeavesOutWhatTheMachineDoesNotSay) {
  const run::Provenance facts = machine_facts(root_);
  for (const auto& [key, value] : facts.facts()) EXPECT_EQ(key, "host.cores") << value;
}

}  // namespace
}  // namespace parity::host
