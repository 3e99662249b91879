#include "host/machine.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_root.h"

namespace parity::host {
namespace {

class Machine : public MadeRoot {};

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

TEST_F(Machine, NamesTheFeaturesByWhichKernelsAreChosen) {
  write("proc/cpuinfo",
        "model name\t: Intel(R) Xeon(R) Processor\nflags\t\t: fpu sse4_1 avx2 fma avx512f amx_bf16 "
        "avx512_fp16 lahf_lm\n");
  EXPECT_EQ(machine_facts(root_).get("host.cpu_features"),
            "sse4_1 fma avx2 avx512f avx512_fp16 amx_bf16");
  write("proc/cpuinfo", "Features\t: fp asimd sve bf16\n");
  EXPECT_EQ(machine_facts(root_).get("host.cpu_features"), "sve bf16");
}

TEST_F(Machine, LeavesOutWhatTheMachineDoesNotSay) {
  const run::Provenance facts = machine_facts(root_);
  for (const auto& [key, value] : facts.facts()) EXPECT_EQ(key, "host.cores") << value;
}

}  // namespace
}  // namespace parity::host
