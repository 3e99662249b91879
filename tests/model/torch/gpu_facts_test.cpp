// Names of GPUs, and which device is asked, against a runtime that this binary exports itself.
#include "model/torch/gpu_facts.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

// A HIP runtime with two GPUs that the process finds before any other: hence a binary of its own.
namespace {
int current_device = 0;
}  // namespace

extern "C" {
__attribute__((visibility("default"))) int hipGetDevice(int* index) {
  *index = current_device;
  return 0;
}
__attribute__((visibility("default"))) int hipSetDevice(int index) {
  if (index > 1) return 101;
  current_device = index;
  return 0;
}
__attribute__((visibility("default"))) int hipMemGetInfo(std::size_t* free_bytes,
                                                         std::size_t* total_bytes) {
  *free_bytes = 1;
  *total_bytes = current_device == 0 ? 1000 : 2000;
  return 0;
}
}

namespace parity::model {
namespace {

TEST(GpuMemory, IsThatOfTheGpuAskedForAndTheCurrentOneStays) {
  for (const int current : {0, 1}) {
    current_device = current;
    EXPECT_EQ(gpu_facts(GpuRuntime::hip, 0).memory_bytes, 1000U) << current;
    EXPECT_EQ(gpu_facts(GpuRuntime::hip, 1).memory_bytes, 2000U) << current;
    EXPECT_EQ(gpu_facts(GpuRuntime::hip, 2).memory_bytes, 0U) << "there is no third GPU";
    EXPECT_EQ(current_device, current);
  }
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
