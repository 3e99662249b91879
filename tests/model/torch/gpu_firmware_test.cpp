// Firmware of GPUs out of the kernel's files.
#include "model/torch/gpu_firmware.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_root.h"

namespace parity::model {
namespace {

class GpuFirmwareFiles : public host::MadeRoot {};

TEST_F(GpuFirmwareFiles, OfNvidiaAreInTheDriversInformation) {
  write("proc/driver/nvidia/gpus/0000:1b:00.0/information",
        "Model: \t\t NVIDIA H200\nIRQ:   \t\t 345\nGPU UUID: \t GPU-0\nVideo BIOS: \t "
        "96.00.BC.00.01\nBus Type: \t PCIe\nGPU Firmware: \t 580.159.04\n");
  const GpuFirmware found = nvidia_firmware("0000:1b:00.0", root_);
  EXPECT_EQ(found.vbios, "96.00.BC.00.01");
  EXPECT_EQ(found.firmware, "580.159.04");
}

TEST_F(GpuFirmwareFiles, OfAmdAreFilesOfTheDevice) {
  const std::string device = "sys/bus/pci/devices/0000:c3:00.0/";
  write(device + "vbios_version", "113-M3000100-102\n");
  write(device + "fw_version/mec_fw_version", "0x0000009b\n");
  write(device + "fw_version/smc_fw_version", "0x00557f00\n");
  write(device + "fw_version/vcn_fw_version", "0x0110101b\n");
  const GpuFirmware found = amd_firmware("0000:c3:00.0", root_);
  EXPECT_EQ(found.vbios, "113-M3000100-102");
  EXPECT_EQ(found.firmware, "mec 0x0000009b, smc 0x00557f00");
}

TEST_F(GpuFirmwareFiles, AreEmptyWhereNothingIsSaid) {
  for (const GpuFirmware& found :
       {nvidia_firmware("0000:1b:00.0", root_), amd_firmware("0000:1b:00.0", root_)}) {
    EXPECT_EQ(found.vbios, "");
    EXPECT_EQ(found.firmware, "");
  }
}

}  // namespace
}  // namespace parity::model
