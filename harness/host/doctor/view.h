// What all checks look at: the machine, what parity was built with, what is wanted of it, and the
// facts that more than one check needs, read once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/system.h"
#include "run/finding.h"
#include "run/probe.h"

namespace parity::host {

/// A folder for each device on the PCI bus.
inline constexpr const char* kPciDevices = "/sys/bus/pci/devices";

/// What parity itself is made of and what it is to do, told by its caller.
struct Subject {
  std::string program;  ///< own executable, which tests devices in processes of their own
  std::filesystem::path torch_folder;  ///< where LibTorch's libraries lie
  std::string torch_headers;           ///< version that parity was compiled with
  std::string torch_problem;           ///< why LibTorch does not load at all; "" when it does
  std::string hdf5_version;
  std::string device = "auto";                 ///< what must work: auto, cpu, cuda or cuda:N
  std::filesystem::path out;                   ///< folder that goldens are to be written to
  std::optional<std::uint64_t> planned_bytes;  ///< size of the recording that is planned
  std::string planned_problem;                 ///< why it cannot be run at all; "" when it can
  bool planned_is_slow = false;                ///< its run took longer than the time limit
  std::chrono::milliseconds smoke_limit{60'000};
  run::Probing probing = run::Probing::off;  ///< of every device, after its trial
};

enum class Vendor : std::uint8_t { nvidia, amd };

/// A display or compute controller on the PCI bus: there, whether or not a driver is.
struct PciGpu {
  Vendor vendor = Vendor::amd;
  std::string address;    ///< "0000:c3:00.0"
  std::string device_id;  ///< "0x74a1"
};

/// A GPU of the amdgpu driver's topology.
struct KfdGpu {
  /// Number by which ROCm's runtime calls it: nodes that this process may not read have none.
  int runtime_node = -1;
  std::string gfx;        ///< "gfx942"; "" when the node's properties cannot be read
  int render_minor = -1;  ///< N of /dev/dri/renderDN
};

enum class Container : std::uint8_t { none, docker, podman, apptainer, kubernetes, other };

/// Which GPUs the installed LibTorch is built for.
enum class TorchBuild : std::uint8_t { missing, cpu, cuda, hip };

struct View {
  const System& system;
  const Subject& subject;
  Container container = Container::none;
  std::vector<PciGpu> pci = {};
  std::vector<KfdGpu> kfd = {};
  TorchBuild torch = TorchBuild::missing;
  /// Values of torch/version.py: "cuda" 12.8, "hip" 6.4.43482; "" when unknown.
  std::string torch_version = {};
  std::string torch_cuda = {};
  std::string torch_hip = {};

  /// Whether a GPU of this vendor is in the machine, driver or not.
  [[nodiscard]] bool has(Vendor vendor) const;
  /// How much it matters that this vendor's GPUs cannot be used: a problem when they are what
  /// LibTorch would run on, a note otherwise.
  [[nodiscard]] run::Level severity(Vendor vendor) const;
};

/// By the libraries in LibTorch's folder.
[[nodiscard]] TorchBuild torch_build(const System& system, const std::filesystem::path& folder);

[[nodiscard]] View view_of(const System& system, const Subject& subject);

/// Adds what it finds. Every check is a pure function of the view.
using Check = void (*)(const View& view, run::Diagnosis& diagnosis);

/// "docker", "podman", ... as part of a sentence.
[[nodiscard]] std::string name(Container container);

/// A command for the machine itself: where this is a container, the words say so.
[[nodiscard]] run::Remedy on_host(const View& view, const std::string& words,
                                  const std::string& command);

/// The value of "key = 'value'" (or `key: Type = 'value'`) in Python source; "" for None.
[[nodiscard]] std::string python_value(const std::string& source, const std::string& key);

}  // namespace parity::host
