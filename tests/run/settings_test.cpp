// Tests of how settings are spelled, which flags and recorded provenance share, and of their
// defaults.
#include "run/settings.h"

#include <gtest/gtest.h>

namespace parity::run {
namespace {

TEST(Settings, AreSpelledAsTheFlagsAre) {
  EXPECT_EQ(to_string(Fp32Precision::ieee), "ieee");
  EXPECT_EQ(to_string(Fp32Precision::tf32), "tf32");
  EXPECT_EQ(to_string(Sdpa::math), "math");
  EXPECT_EQ(to_string(Sdpa::flash), "flash");
  EXPECT_EQ(to_string(Sdpa::efficient), "efficient");
  EXPECT_EQ(to_string(Sdpa::default_choice), "default");
  EXPECT_EQ(to_string(TapDepth::modules), "modules");
  EXPECT_EQ(to_string(TapDepth::ops), "ops");
  EXPECT_EQ(to_string(Determinism::off), "off");
  EXPECT_EQ(to_string(Determinism::on), "on");
}

TEST(Settings, DefaultToIeeeOnTheFirstDeviceWithTheFilesDType) {
  const Settings settings;
  EXPECT_EQ(settings.fp32_precision, Fp32Precision::ieee);
  EXPECT_EQ(settings.device, "auto");
  EXPECT_EQ(settings.dtype, std::nullopt);
  EXPECT_EQ(settings.taps, TapDepth::modules);
}

}  // namespace
}  // namespace parity::run
