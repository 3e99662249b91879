// Why a device file cannot be opened, in the names and ids of this very host, and the command that
// mends it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/doctor/view.h"
#include "run/finding.h"

namespace parity::host {

/// Of the devices of one vendor that a container must be given.
struct DeviceFlags {
  std::string docker;      ///< "--device /dev/kfd --device /dev/dri"
  std::string apptainer;   ///< "--rocm"
  std::string kubernetes;  ///< "amd.com/gpu: 1"
};
[[nodiscard]] DeviceFlags device_flags(Vendor vendor);

/// "crw-rw---- root:render (0:110)"
[[nodiscard]] std::string described(const System& system, const Node& node);

/// The process, as far as devices are concerned: "kim (1000), groups 1000 kim, 27 sudo".
[[nodiscard]] std::string described(const System& system, const Identity& who);

/// Finding for a node that exists and did not open. `level`: how bad that is.
[[nodiscard]] run::Finding denied(const View& view, Vendor vendor,
                                  const std::filesystem::path& path, const Node& node,
                                  run::Level level);

/// Finding for a folder that does not let its content be read, or a file in one that may not be
/// searched: what is there stays unknown.
[[nodiscard]] run::Finding unseen(const View& view, Vendor vendor,
                                  const std::filesystem::path& path, const Node& node,
                                  run::Level level);

/// What gives a container the vendor's devices, with the ids that the device files have where they
/// are known; `gid` 0 when not.
[[nodiscard]] std::vector<run::Remedy> container_fix(const View& view, Vendor vendor,
                                                     std::uint32_t gid);

}  // namespace parity::host
