#include "model/torch/gpu_facts.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace parity::model {
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

TEST(GpuFacts, AreEmptyWithoutARuntimeButNameTheVendor) {
  // No CUDA or HIP runtime has device 120: every fact but the vendor is unknown, and nothing fails.
  const GpuFacts nvidia = gpu_facts(GpuRuntime::cuda, 120);
  EXPECT_EQ(nvidia.vendor, "NVIDIA");
  EXPECT_EQ(nvidia.arch, "");
  EXPECT_EQ(gpu_facts(GpuRuntime::hip, 120).vendor, "AMD");
  EXPECT_EQ(gpu_facts(GpuRuntime::hip, 120).arch, "");
}

}  // namespace
}  // namespace parity::model
