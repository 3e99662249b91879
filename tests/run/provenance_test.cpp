// Tests of facts by key, and of what two environments differ in.
#include "run/provenance.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run/fact_groups.h"
#include "run/numeric_switch.h"

namespace parity::run {
namespace {

Provenance make(std::initializer_list<std::pair<const char*, const char*>> facts) {
  Provenance provenance;
  for (const auto& [key, value] : facts) provenance.set(key, value);
  return provenance;
}

std::vector<std::string> texts(const std::vector<Difference>& differences) {
  std::vector<std::string> result;
  result.reserve(differences.size());
  for (const Difference& d : differences)
    result.push_back(d.key + ": " + d.reference + " -> " + d.candidate);
  return result;
}

TEST(Provenance, KeepsOrderAndReplacesValues) {
  Provenance provenance = make({{"device.name", "H200"}, {"switch.tf32", "off"}});
  provenance.set("device.name", "MI300X");
  EXPECT_EQ(provenance.get("device.name"), "MI300X");
  ASSERT_EQ(provenance.facts().size(), 2U);
  EXPECT_EQ(provenance.facts()[0].first, "device.name");
  EXPECT_EQ(provenance.facts()[1].first, "switch.tf32");
}

TEST(Provenance, HasAnEmptyTextForWhatItDoesNotKnow) {
  EXPECT_EQ(make({{"a.b", "c"}}).get("a"), "");
}

TEST(Provenance, MergeReplacesEqualKeysAndAppendsOthers) {
  Provenance provenance = make({{"device.name", "H200"}, {"host.os", "Debian"}});
  provenance.merge(make({{"library.torch", "2.11.0"}, {"device.name", "MI300X"}}));
  EXPECT_EQ(provenance.facts(),
            make({{"device.name", "MI300X"}, {"host.os", "Debian"}, {"library.torch", "2.11.0"}})
                .facts());
}

TEST(Differences, OfEqualEnvironmentsAreNone) {
  const Provenance one = make({{"device.name", "H200"}, {"switch.tf32", "off"}});
  EXPECT_TRUE(differences(one, one).empty());
  EXPECT_TRUE(differences({}, {}).empty());
}

TEST(Differences, ComeInTheReferencesOrderThenTheCandidatesOwn) {
  const Provenance reference =
      make({{"switch.tf32", "on"}, {"device.name", "H200"}, {"host.os", "Debian"}});
  const Provenance candidate = make({{"device.xcc", "8"},
                                     {"device.name", "MI300X"},
                                     {"host.os", "Debian"},
                                     {"switch.tf32", "off"}});
  EXPECT_EQ(texts(differences(reference, candidate)),
            (std::vector<std::string>{"switch.tf32: on -> off", "device.name: H200 -> MI300X",
                                      "device.xcc:  -> 8"}));
}

TEST(Differences, SayWhichSideLacksAKey) {
  EXPECT_EQ(texts(differences(make({{"library.cuda", "13.0"}}), {})),
            (std::vector<std::string>{"library.cuda: 13.0 -> "}));
}

TEST(Differences, LeaveOutWhatAlwaysDiffers) {
  EXPECT_TRUE(
      differences(make({{"run.time", "1"}, {"run.file", "a"}}), make({{"run.time", "2"}})).empty());
  EXPECT_EQ(differences(make({{"runtime.version", "1"}}), make({{"runtime.version", "2"}})).size(),
            1U);
}

TEST(Differences, OfAGroupThatOneSideDidNotRecordAreItsSummaryAlone) {
  const Provenance older = make({{"device.name", "H200"}});
  const Provenance newer = make({{"device.name", "H200"},
                                 {"library.file.libcublas", "build-id 1"},
                                 {"library.files", "1 file"},
                                 {"variable.set", "OMP_NUM_THREADS"},
                                 {"variable.OMP_NUM_THREADS", "2"},
                                 {"probe.fma", "fused"},
                                 {"probe.digest", "12"}});
  EXPECT_EQ(
      texts(differences(older, newer)),
      (std::vector<std::string>{"library.files:  -> 1 file", "variable.set:  -> OMP_NUM_THREADS",
                                "probe.digest:  -> 12"}));
  EXPECT_EQ(
      texts(differences(newer, older)),
      (std::vector<std::string>{"library.files: 1 file -> ", "variable.set: OMP_NUM_THREADS -> ",
                                "probe.digest: 12 -> "}));
}

TEST(Differences, OfAGroupThatBothRecordedAreItsFactsWithoutTheSummary) {
  const Provenance reference =
      make({{"probe.fma", "fused"}, {"probe.repeat", "same bits"}, {"probe.digest", "12"}});
  Provenance candidate = reference;
  candidate.set("probe.fma", "separate");
  candidate.set("probe.new", "something");
  candidate.set("probe.digest", "34");
  EXPECT_EQ(texts(differences(reference, candidate)),
            (std::vector<std::string>{"probe.fma: fused -> separate", "probe.new:  -> something"}));
}

TEST(NumericSwitches, AreVariablesThatOneSideSetAndTheOtherDidNotRecord) {
  const auto changed = [](const char* names, const char* device) {
    const Provenance older = make({{"device.type", device}});
    const Provenance newer = make({{"device.type", device}, {"variable.set", names}});
    EXPECT_EQ(changes_numbers("variable.set", older, newer),
              changes_numbers("variable.set", newer, older));
    return changes_numbers("variable.set", older, newer);
  };
  EXPECT_TRUE(changed("NVIDIA_TF32_OVERRIDE", "cuda"));
  EXPECT_TRUE(changed("OMP_NUM_THREADS NVIDIA_TF32_OVERRIDE", "cuda"));
  EXPECT_TRUE(changed("OMP_NUM_THREADS", "cpu"));
  EXPECT_FALSE(changed("OMP_NUM_THREADS MKL_NUM_THREADS", "cuda"));
  EXPECT_FALSE(changed("none", "cuda"));
  EXPECT_FALSE(changed("", "cuda"));
  EXPECT_FALSE(changed("set", "cuda")) << "the summary itself is no variable";
  const Provenance both = make({{"variable.set", "NVIDIA_TF32_OVERRIDE"}});
  EXPECT_FALSE(changes_numbers("variable.set", both, make({{"variable.set", "none"}})))
      << "each is compared by itself";
}

TEST(SameHost, IsOneWhereNothingThatBothSidesRecordedDiffers) {
  const Provenance host =
      make({{"host.cpu", "EPYC"}, {"host.kernel", "6.8"}, {"device.driver", "580"}});
  EXPECT_TRUE(same_host(host, host));
  for (const char* key : {"host.cpu", "host.kernel", "device.driver"}) {
    Provenance other = host;
    other.set(key, "another");
    EXPECT_FALSE(same_host(host, other)) << key;
    EXPECT_FALSE(same_host(other, host)) << key;
  }
  Provenance newer = host;
  newer.set("host.cpu_features", "avx2");  // that an older recording does not have
  EXPECT_TRUE(same_host(host, newer));
  EXPECT_TRUE(same_host(newer, host));
  EXPECT_FALSE(same_host({}, {})) << "nothing is known of either";
  EXPECT_FALSE(same_host(host, {}));
}

TEST(SameDevice, ComparesVendorNameAndArchitecture) {
  const Provenance h200 =
      make({{"device.vendor", "NVIDIA"}, {"device.name", "H200"}, {"device.arch", "sm_90"}});
  EXPECT_TRUE(same_device(h200, h200));
  for (const char* key : {"device.vendor", "device.name", "device.arch"}) {
    Provenance other = h200;
    other.set(key, "another");
    EXPECT_FALSE(same_device(h200, other)) << key;
  }
}

TEST(SameDevice, IsNotKnownOfDevicesWithoutAName) {
  EXPECT_FALSE(same_device({}, {}));
  const Provenance nameless = make({{"device.vendor", "NVIDIA"}, {"device.arch", "sm_90"}});
  EXPECT_FALSE(same_device(nameless, nameless));
  EXPECT_TRUE(same_device(make({{"device.name", "H200"}}), make({{"device.name", "H200"}})));
}

TEST(SameDevice, DoesNotDependOnLibrariesOrSwitches) {
  Provenance reference =
      make({{"device.vendor", "NVIDIA"}, {"device.name", "H200"}, {"device.arch", "sm_90"}});
  Provenance candidate = reference;
  candidate.set("library.torch", "2.12.0");
  candidate.set("switch.tf32", "on");
  EXPECT_TRUE(same_device(reference, candidate));
}

}  // namespace
}  // namespace parity::run
