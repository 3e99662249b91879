// Private to model/: which firmware a GPU runs, as the kernel's files tell it. Free of torch.
#pragma once

#include <filesystem>
#include <string>

namespace parity::model {

/// "" where a fact is not to be had.
struct GpuFirmware {
  std::string vbios;     ///< "96.00.99.00.01", "113-M3000100-102"
  std::string firmware;  ///< NVIDIA: its version; AMD: "mec 0x.., rlc 0x.., smc 0x.."
};

/// Of the GPU at PCI address "0000:1b:00.0". `root` is what the kernel's folders are looked for in.
[[nodiscard]] GpuFirmware nvidia_firmware(const std::string& address,
                                          const std::filesystem::path& root = "/");
[[nodiscard]] GpuFirmware amd_firmware(const std::string& address,
                                       const std::filesystem::path& root = "/");

}  // namespace parity::model
