#include "model/torch/gpu_firmware.h"

#include <fstream>
#include <string_view>

namespace parity::model {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return trimmed(line);
}

}  // namespace

GpuFirmware nvidia_firmware(const std::string& address, const std::filesystem::path& root) {
  GpuFirmware found;
  std::ifstream in(root / "proc/driver/nvidia/gpus" / address / "information");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = trimmed(line.substr(0, colon));
    if (key == "Video BIOS") found.vbios = trimmed(line.substr(colon + 1));
    if (key == "GPU Firmware") found.firmware = trimmed(line.substr(colon + 1));
  }
  return found;
}

GpuFirmware amd_firmware(const std::string& address, const std::filesystem::path& root) {
  const std::filesystem::path device = root / "sys/bus/pci/devices" / address;
  GpuFirmware found;
  found.vbios = first_line(device / "vbios_version");
  // Of those that take part in running kernels; the rest drives displays, video and power.
  for (const std::string unit : {"mec", "mec2", "rlc", "sdma", "smc"}) {
    const std::string version = first_line(device / "fw_version" / (unit + "_fw_version"));
    if (!version.empty())
      found.firmware += (found.firmware.empty() ? "" : ", ") + unit + " " + version;
  }
  return found;
}

}  // namespace parity::model
