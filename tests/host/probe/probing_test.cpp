// What the doctor makes of the probes of a device.
#include "host/doctor/probing.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "host/probe/emulated_device.h"
#include "host/probe/probes.h"
#include "run/trial_lines.h"

namespace parity::host {
namespace {

/// As a trial leaves it behind.
run::Diagnosis diagnosed(const Machine& machine, const std::string& arch) {
  EmulatedDevice device(machine);
  run::Diagnosis diagnosis;
  diagnosis.facts.set("cuda:0.device.arch", arch);
  const run::Fingerprint all = fingerprint(device);
  const run::Provenance facts = run::probe_facts(all);
  for (const auto& [key, value] : facts.facts()) diagnosis.facts.set("cuda:0." + key, value);
  for (const run::Probe& probe : all) {
    if (!probe.detail.empty())
      diagnosis.facts.set("cuda:0." + std::string(run::kProbeDetail) + probe.name, probe.detail);
  }
  add_probe_findings("cuda:0", diagnosis);
  return diagnosis;
}

const run::Finding& finding(const run::Diagnosis& diagnosis, const std::string& probe) {
  const auto found = std::find_if(
      diagnosis.findings.begin(), diagnosis.findings.end(),
      [&](const run::Finding& one) { return one.seen.rfind("cuda:0: " + probe, 0) == 0; });
  static const run::Finding kNone;
  return found == diagnosis.findings.end() ? kNone : *found;
}

Machine hopper() {
  Machine machine;
  machine.half = Unit{Adder::truncating, 16, 25};
  machine.tf32 = Unit{Adder::truncating, 8, 25};
  return machine;
}

TEST(ProbeFindings, SayOfEachProbeWhatItMeansAndWhetherItIsAsPublished) {
  const run::Diagnosis diagnosis = diagnosed(hopper(), "sm_90");
  EXPECT_EQ(run::worst(diagnosis), run::Level::ok);
  const run::Finding& sums = finding(diagnosis, "accumulation.float16");
  EXPECT_EQ(sums.seen,
            "cuda:0: accumulation.float16: order 48 48 48 48 32 16, bits 25, round cut, residue 0 "
            "0");
  EXPECT_NE(sums.why.find("As published of NVIDIA Hopper and Blackwell [MMA-Sim"),
            std::string::npos)
      << sums.why;
  std::size_t meanings = 0;
  for (const run::Finding& one : diagnosis.findings) {
    EXPECT_EQ(one.check, "probes");
    if (one.why.find("Known for: ") != std::string::npos) ++meanings;
  }
  EXPECT_EQ(meanings, 6U) << "one for each kind of probe";
  EXPECT_NE(finding(diagnosis, "operands.tf32").seen.find("(mean signed error -2"),
            std::string::npos);
  EXPECT_NE(finding(diagnosis, "fingerprint").seen.find("fingerprint "), std::string::npos);
}

TEST(ProbeFindings, NoteWhatIsOtherwiseThanPublished) {
  const run::Diagnosis diagnosis = diagnosed(hopper(), "gfx942");
  const run::Finding& sums = finding(diagnosis, "accumulation.float16");
  EXPECT_EQ(sums.level, run::Level::note);
  EXPECT_NE(sums.why.find("this is the pattern of NVIDIA Hopper"), std::string::npos) << sums.why;
}

TEST(ProbeFindings, CallAnUnknownPatternUnknown) {
  Machine machine;
  machine.half = Unit{Adder::truncating, 2, 19};
  const run::Finding sums = finding(diagnosed(machine, "gfx1100"), "accumulation.float16");
  EXPECT_EQ(sums.level, run::Level::ok);
  EXPECT_NE(sums.why.find("No published pattern: unknown."), std::string::npos) << sums.why;
}

TEST(ProbeFindings, BlameNoArithmeticForALackOfMemory) {
  run::Diagnosis diagnosis;
  for (const char* name : {"integers.float16", "operands.ieee", "accumulation.float16"})
    diagnosis.facts.set("cuda:0.probe." + std::string(name), std::string(run::kNoMemory));
  diagnosis.facts.set("cuda:0.device.arch", "sm_90");
  add_probe_findings("cuda:0", diagnosis);
  ASSERT_EQ(diagnosis.findings.size(), 3U);
  for (const run::Finding& one : diagnosis.findings) {
    EXPECT_EQ(one.level, run::Level::note) << one.seen;
    EXPECT_EQ(one.why.find("published"), std::string::npos) << one.why;
  }
}

TEST(ProbeFindings, MakeWrongIntegersAProblemAndOtherSurprisesWarnings) {
  Machine machine;
  machine.wrong_batch = 3;
  machine.drifts_after = 1;
  const run::Diagnosis diagnosis = diagnosed(machine, "sm_90");
  EXPECT_EQ(finding(diagnosis, "integers.float32").level, run::Level::problem);
  EXPECT_EQ(finding(diagnosis, "repeat").level, run::Level::warning);
  EXPECT_FALSE(finding(diagnosis, "repeat").fix.empty());

  run::Diagnosis forced;
  forced.facts.set("cuda:0.probe.operands.ieee", "10 bits, nearest, no bias");
  add_probe_findings("cuda:0", forced);
  EXPECT_EQ(finding(forced, "operands.ieee").level, run::Level::warning);
}

TEST(ProbeFindings, AreNoneWithoutProbesAndOfTheirOwnDeviceAlone) {
  run::Diagnosis diagnosis;
  diagnosis.facts.set("cuda:10.probe.fma", "addcmul fused, add fused");
  add_probe_findings("cuda:1", diagnosis);
  EXPECT_TRUE(diagnosis.findings.empty());
}

TEST(ProbeFindings, NoteWhatADeviceLacks) {
  Machine machine;
  machine.lacks_float16 = true;
  const run::Finding lacking = finding(diagnosed(machine, "sm_90"), "integers.float16");
  EXPECT_EQ(lacking.level, run::Level::note);
  EXPECT_NE(lacking.seen.find("not available (no kernel for Half)"), std::string::npos);
}

}  // namespace
}  // namespace parity::host
