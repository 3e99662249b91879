// Where a truth runs, and in what: never on what it is to judge, unless that was asked for.
#include <gtest/gtest.h>

#include "pipeline/record/truth_recording.h"

namespace parity::pipeline {
namespace {

run::Settings of_two_gpus() {
  run::Settings settings;
  settings.device = "cuda:0";
  settings.devices = {"cuda:0", "cuda:1"};
  settings.dtype = tensor::DType::bfloat16;
  settings.sdpa = run::Sdpa::flash;
  settings.fp32_precision = run::Fp32Precision::tf32;
  return settings;
}

TEST(TruthSettings, OfTheCpuLeaveNoLayerOnADevice) {
  TruthChoice choice;
  choice.device = TruthDevice::cpu;
  const run::Settings settings = truth_settings(of_two_gpus(), choice, tensor::DType::float64);
  EXPECT_EQ(settings.device, "cpu");
  EXPECT_TRUE(settings.devices.empty());
}

TEST(TruthSettings, OfTheSameDeviceKeepItsLayersWhereTheyAre) {
  TruthChoice choice;
  choice.device = TruthDevice::same;
  const run::Settings settings = truth_settings(of_two_gpus(), choice, tensor::DType::float64);
  EXPECT_EQ(settings.device, "cuda:0");
  EXPECT_EQ(settings.devices.size(), 2U);
}

TEST(TruthSettings, AreOfThePlainestArithmetic) {
  const run::Settings settings = truth_settings(of_two_gpus(), {}, tensor::DType::float64);
  EXPECT_EQ(settings.dtype, tensor::DType::float64);
  EXPECT_EQ(settings.rounded_to, tensor::DType::bfloat16);
  EXPECT_EQ(settings.fp32_precision, run::Fp32Precision::ieee);
  EXPECT_EQ(settings.sdpa, run::Sdpa::math);
}

}  // namespace
}  // namespace parity::pipeline
