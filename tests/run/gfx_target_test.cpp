#include "run/gfx_target.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

TEST(GfxName, FollowsAmdsSpelling) {
  const std::vector<std::pair<std::uint64_t, std::string>> rows = {
      {90402, "gfx942"},   {90010, "gfx90a"},
      {90008, "gfx908"},   {90006, "gfx906"},
      {110000, "gfx1100"}, {110501, "gfx1151"},
      {100302, "gfx1032"}, {120001, "gfx1201"},
      {90500, "gfx950"},   {0, ""}};
  for (const auto& [version, name] : rows) EXPECT_EQ(gfx_name(version), name) << version;
}

TEST(GfxOfOverride, TakesThreeNumbersAndNothingElse) {
  const std::vector<std::pair<std::string, std::string>> rows = {{"10.3.0", "gfx1030"},
                                                                 {"11.0.0", "gfx1100"},
                                                                 {"9.0.10", "gfx90a"},
                                                                 {"9.4.2", "gfx942"},
                                                                 {"", ""},
                                                                 {"gfx1030", ""},
                                                                 {"10.3", ""},
                                                                 {"10.3.", ""},
                                                                 {"10.3.0.1", ""},
                                                                 {".3.0", ""},
                                                                 {"10..0", ""},
                                                                 {"0.0.0", ""},
                                                                 {"10.3.0 ", ""},
                                                                 {"99999999999999999999.1.1", ""}};
  for (const auto& [value, name] : rows) EXPECT_EQ(gfx_of_override(value), name) << value;
}

TEST(RunsOn, KnowsExactNamesFeaturesAndGenericTargets) {
  EXPECT_TRUE(runs_on("gfx942", "gfx942"));
  EXPECT_TRUE(runs_on("gfx90a:xnack-", "gfx90a"));
  EXPECT_TRUE(runs_on("gfx11-generic", "gfx1151"));
  EXPECT_TRUE(runs_on("gfx9-4-generic", "gfx950"));
  EXPECT_FALSE(runs_on("gfx9-4-generic", "gfx90a"));
  EXPECT_FALSE(runs_on("gfx1030", "gfx1031"));
  EXPECT_FALSE(runs_on("gfx90a", "gfx90"));
  EXPECT_FALSE(runs_on("gfx11-generic", "gfx110"));
  EXPECT_FALSE(runs_on("", "gfx942"));
}

}  // namespace
}  // namespace parity::run
