#include "host/doctor/view.h"

#include <algorithm>
#include <sstream>

#include "run/gfx_target.h"

namespace parity::host {
namespace {

constexpr const char* kTopology = "/sys/class/kfd/kfd/topology/nodes";

std::vector<PciGpu> pci_gpus(const System& system) {
  std::vector<PciGpu> gpus;
  for (const std::string& address : system.names_in(kPciDevices)) {
    const std::filesystem::path device = std::filesystem::path(kPciDevices) / address;
    const std::string kind = system.line(device / "class");
    // 0x03xxxx display controller, 0x12xxxx processing accelerator (MI300).
    if (kind.rfind("0x03", 0) != 0 && kind.rfind("0x12", 0) != 0) continue;
    const std::string vendor = system.line(device / "vendor");
    if (vendor == "0x1002" || vendor == "0x10de") {
      gpus.push_back({vendor == "0x1002" ? Vendor::amd : Vendor::nvidia, address,
                      system.line(device / "device")});
    }
  }
  return gpus;
}

/// Without its number.
KfdGpu kfd_gpu(const std::string& properties) {
  KfdGpu gpu;
  std::istringstream in(properties);
  std::string key;
  for (std::uint64_t value = 0; in >> key >> value;) {
    if (key == "gfx_target_version") gpu.gfx = run::gfx_name(value);
    if (key == "drm_render_minor") gpu.render_minor = static_cast<int>(value);
  }
  return gpu;
}

std::vector<KfdGpu> kfd_gpus(const System& system) {
  std::vector<KfdGpu> gpus;
  int readable = 0;
  for (const std::string& node : system.names_in(kTopology)) {
    const std::filesystem::path folder = std::filesystem::path(kTopology) / node;
    // A container's device rules hide nodes: there, reading them is not permitted.
    const auto id = system.text(folder / "gpu_id");
    const auto properties = system.text(folder / "properties");
    const int runtime_node = id ? readable++ : -1;
    if (id && system.line(folder / "gpu_id") == "0") continue;
    KfdGpu gpu = kfd_gpu(properties.value_or(""));
    gpu.runtime_node = runtime_node;
    if (properties && gpu.gfx.empty()) continue;  // a CPU
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Container container_of(const System& system) {
  if (system.variable("KUBERNETES_SERVICE_HOST")) return Container::kubernetes;
  if (system.variable("APPTAINER_CONTAINER") || system.variable("SINGULARITY_CONTAINER"))
    return Container::apptainer;
  if (system.exists("/run/.containerenv")) return Container::podman;
  if (system.exists("/.dockerenv")) return Container::docker;
  const std::string cgroup = system.text("/proc/1/cgroup").value_or("");
  const auto says = [&](const char* word) { return cgroup.find(word) != std::string::npos; };
  if (says("kubepods")) return Container::kubernetes;
  if (says("libpod")) return Container::podman;
  if (says("docker")) return Container::docker;
  if (says("lxc") || says("containerd") || system.exists("/run/systemd/container"))
    return Container::other;
  return Container::none;
}

}  // namespace

TorchBuild torch_build(const System& system, const std::filesystem::path& folder) {
  if (system.exists(folder / "libtorch_hip.so")) return TorchBuild::hip;
  if (system.exists(folder / "libtorch_cuda.so")) return TorchBuild::cuda;
  return system.exists(folder / "libtorch_cpu.so") ? TorchBuild::cpu : TorchBuild::missing;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the text first, as in every search
std::string python_value(const std::string& source, const std::string& key) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t behind = line.find_first_not_of(' ', key.size());
    const std::size_t sign = line.find('=');
    if (sign == std::string::npos || (line[behind] != '=' && line[behind] != ':')) continue;
    const std::size_t first = line.find_first_of("'\"", sign);
    const std::size_t last = line.find_last_of("'\"");
    if (first == std::string::npos || last <= first) return "";
    return line.substr(first + 1, last - first - 1);
  }
  return "";
}

View view_of(const System& system, const Subject& subject) {
  View view{system, subject};
  view.container = container_of(system);
  view.pci = pci_gpus(system);
  view.kfd = kfd_gpus(system);
  view.torch = torch_build(system, subject.torch_folder);
  const std::filesystem::path package = subject.torch_folder.parent_path();
  const std::string version = system.text(package / "version.py").value_or("");
  view.torch_version = python_value(version, "__version__");
  if (view.torch_version.empty()) view.torch_version = system.line(package / "build-version");
  view.torch_cuda = python_value(version, "cuda");
  view.torch_hip = python_value(version, "hip");
  return view;
}

bool View::has(Vendor vendor) const {
  const bool on_bus =
      std::any_of(pci.begin(), pci.end(), [&](const PciGpu& gpu) { return gpu.vendor == vendor; });
  if (vendor == Vendor::amd) return on_bus || !kfd.empty();
  return on_bus || system.exists("/proc/driver/nvidia/version");
}

run::Level View::severity(Vendor vendor) const {
  if (subject.device == "cpu") return run::Level::note;
  const bool ours = vendor == Vendor::amd ? torch == TorchBuild::hip : torch == TorchBuild::cuda;
  const Vendor other = vendor == Vendor::amd ? Vendor::nvidia : Vendor::amd;
  return ours || !has(other) ? run::Level::problem : run::Level::note;
}

run::Remedy on_host(const View& view, const std::string& words, const std::string& command) {
  if (view.container == Container::none) return {words, command};
  return {"on the host, not in the container" + (words.empty() ? "" : ": " + words), command};
}

std::string name(Container container) {
  switch (container) {
    case Container::docker:
      return "docker";
    case Container::podman:
      return "podman";
    case Container::apptainer:
      return "apptainer";
    case Container::kubernetes:
      return "kubernetes";
    case Container::other:
      return "another kind";
    case Container::none:
      break;
  }
  return "none";
}

}  // namespace parity::host
