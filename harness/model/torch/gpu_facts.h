// Private to model/: what a GPU is called, asked of the driver's own files. Free of torch and of
// vendor headers. Torch's device-neutral interface has no device name, and properties structs
// change their layout with the vendor's version. So only C functions without structs are looked up
// in the runtime that torch has loaded, above all the one that gives a device's PCI address; under
// that address the kernel's files tell the rest.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace parity::model {

/// "" or 0 where a fact is not to be had.
struct GpuFacts {
  std::string vendor;  ///< "NVIDIA" or "AMD"
  std::string name;    ///< "NVIDIA H200", "AMD Instinct MI300X"
  std::string arch;    ///< "sm_90", "gfx942"
  std::string driver;  ///< version of the kernel driver
  std::string vbios;
  std::string firmware;
  std::uint64_t memory_bytes = 0;
};

/// Facts of the GPU that torch calls `cuda:index`. `vendor` decides whether CUDA's or HIP's runtime
/// is asked.
enum class GpuRuntime : std::uint8_t { cuda, hip };
[[nodiscard]] GpuFacts gpu_facts(GpuRuntime runtime, int index);

/// Versions of the vendor's libraries that tell them without a handle, by name ("cublas",
/// "13.1.0"); of those that are loaded.
[[nodiscard]] std::map<std::string, std::string> kernel_library_versions(GpuRuntime runtime);

}  // namespace parity::model
