// Tests of a fingerprint's facts.
#include "run/probe.h"

#include <gtest/gtest.h>

#include "run/fact_groups.h"

namespace parity::run {
namespace {

TEST(ProbeFacts, HoldEachTextAndADigestOverAll) {
  const Fingerprint one = {{"fma", "fused", "1e-8"}, {"repeat", "same bits", ""}};
  const Provenance facts = probe_facts(one);
  EXPECT_EQ(facts.get("probe.fma"), "fused");
  EXPECT_EQ(facts.get("probe.repeat"), "same bits");
  EXPECT_EQ(facts.get(kProbes.summary).size(), 32U);
  ASSERT_EQ(facts.facts().size(), 3U);
}

TEST(ProbeFacts, HaveADigestOfTextsAndNamesWithoutTheDetails) {
  const auto digest = [](const Fingerprint& fingerprint) {
    return std::string(probe_facts(fingerprint).get(kProbes.summary));
  };
  const std::string same = digest({{"a", "1", "of this run"}, {"b", "2", ""}});
  EXPECT_EQ(digest({{"a", "1", "of that run"}, {"b", "2", ""}}), same);
  EXPECT_NE(digest({{"a", "1", ""}, {"b", "3", ""}}), same);
  EXPECT_NE(digest({{"a", "1", ""}, {"c", "2", ""}}), same);
  EXPECT_NE(digest({{"a", "1", ""}}), same);
}

}  // namespace
}  // namespace parity::run
