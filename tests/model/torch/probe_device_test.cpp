// The probes' operations by torch on the CPU.
#include "model/probe_device.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/torch/device.h"

namespace parity::model {
namespace {

run::Settings cpu() {
  run::Settings settings;
  settings.device = "cpu";
  return settings;
}

TEST(ProbeDevice, ComputesInTheDtypeThatItIsAskedFor) {
  const auto device = open_probe_device(cpu());
  const double tiny = std::ldexp(1.0, -20);
  struct Row {
    tensor::DType dtype;
    double sum;  ///< of 1 and 2^-20
  };
  for (const Row& row :
       {Row{tensor::DType::float64, 1 + tiny}, Row{tensor::DType::float32, 1 + tiny},
        Row{tensor::DType::bfloat16, 1}, Row{tensor::DType::float16, 1}}) {
    EXPECT_EQ(device->plus_product({1}, {tiny}, {1}, row.dtype), std::vector<double>{row.sum})
        << tensor::name(row.dtype);
    EXPECT_EQ(device->plus_scaled({1}, {tiny}, 1, row.dtype), std::vector<double>{row.sum});
    EXPECT_EQ(device->times({tiny}, {8}, row.dtype), std::vector<double>{8 * tiny});
    const run::Matrix product =
        device->product({2, 1, {3, -1}}, {1, 2, {1, 2}}, row.dtype, run::Fp32Precision::ieee);
    EXPECT_EQ(product.rows, 2U);
    EXPECT_EQ(product.values, (std::vector<double>{3, 6, -1, -2})) << tensor::name(row.dtype);
  }
}

TEST(ProbeDevice, CarriesSubnormalsAcrossUntouched) {
  const auto device = open_probe_device(cpu());
  for (const auto& [dtype, least] :
       {std::pair{tensor::DType::float32, -149}, std::pair{tensor::DType::float16, -24},
        std::pair{tensor::DType::bfloat16, -133}, std::pair{tensor::DType::float64, -1074}}) {
    const double value = std::ldexp(1.0, least);
    EXPECT_EQ(device->times({value}, {1}, dtype), std::vector<double>{value})
        << tensor::name(dtype);
  }
}

TEST(ProbeDevice, GivesTheSameNumbersToEveryCall) {
  const auto device = open_probe_device(cpu());
  for (const run::Repeatable operation : {run::Repeatable::matmul, run::Repeatable::softmax,
                                          run::Repeatable::sum, run::Repeatable::attention}) {
    const auto first = device->repeated(operation, tensor::DType::float32);
    EXPECT_FALSE(first.empty()) << run::name(operation);
    EXPECT_EQ(device->repeated(operation, tensor::DType::float32), first) << run::name(operation);
  }
}

TEST(ProbeDevice, LeavesTheSettingsInForce) {
  run::Settings settings = cpu();
  settings.threads = 1;
  const auto precision = [] {
    return device_provenance(c10::Device(c10::kCPU), cpu()).get("switch.fp32_matmul") == "tf32"
               ? "tf32"
               : "ieee";
  };
  for (const run::Fp32Precision asked : {run::Fp32Precision::ieee, run::Fp32Precision::tf32}) {
    settings.fp32_precision = asked;
    apply_switches(settings, c10::Device(c10::kCPU));
    const std::string before = precision();
    const auto device = open_probe_device(settings);
    for (const run::Fp32Precision other : {run::Fp32Precision::tf32, run::Fp32Precision::ieee}) {
      (void)device->product({1, 1, {1}}, {1, 1, {1}}, tensor::DType::float32, other);
      EXPECT_EQ(precision(), before) << run::to_string(asked) << " then " << run::to_string(other);
    }
    // An operation that fails puts them back as well.
    EXPECT_THROW((void)device->product({1, 2, {1, 2}}, {1, 1, {1}}, tensor::DType::float32,
                                       run::Fp32Precision::tf32),
                 Error);
    EXPECT_EQ(precision(), before);
  }
  apply_switches(cpu(), c10::Device(c10::kCPU));
}

}  // namespace
}  // namespace parity::model
