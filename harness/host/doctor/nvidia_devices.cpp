// /dev/nvidiactl, /dev/nvidia-uvm and one /dev/nvidiaN for each GPU: CUDA needs all three.
#include <algorithm>
#include <cctype>

#include "host/doctor/checks.h"
#include "host/doctor/device_access.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "devices.nvidia";

bool is_gpu_node(const std::string& name) {
  static constexpr std::string_view kStem = "nvidia";
  return name.size() > kStem.size() && name.rfind(kStem, 0) == 0 &&
         std::all_of(name.begin() + kStem.size(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Of those that are needed, and every GPU's own.
std::vector<std::string> nodes_of(const View& view) {
  std::vector<std::string> names = {"nvidiactl", "nvidia-uvm"};
  for (const std::string& name : view.system.names_in("/dev")) {
    if (is_gpu_node(name)) names.push_back(name);
  }
  if (names.size() == 2) names.emplace_back("nvidia0");
  return names;
}

std::vector<run::Remedy> toolkit(const View& view) {
  std::vector<run::Remedy> fix = container_fix(view, Vendor::nvidia, 0);
  if (view.container == Container::docker) {
    fix.push_back(
        {"if docker does not know --gpus: on the host, install nvidia-container-toolkit "
         "and tell docker of it",
         "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart "
         "docker"});
  } else if (view.container == Container::podman) {
    fix.push_back({"if podman does not know the device: on the host, write its description",
                   "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"});
  }
  return fix;
}

bool check_driver(const View& view, run::Level level, run::Diagnosis& diagnosis) {
  if (view.system.exists("/proc/driver/nvidia/version") ||
      view.system.exists("/sys/module/nvidia")) {
    return true;
  }
  run::Finding finding{kCheck, level, "the nvidia driver is not loaded", "", {}};
  finding.why = "Without it there is no /dev/nvidia0, and CUDA sees no GPU.";
  finding.fix = {on_host(view, "load it", "sudo modprobe nvidia"),
                 on_host(view,
                         "if that fails, see why (nouveau in its place, Secure Boot, a kernel "
                         "without the module)",
                         "sudo dmesg | grep -iE 'nvrm|nvidia|nouveau'")};
  diagnosis.findings.push_back(std::move(finding));
  return false;
}

run::Finding missing(const View& view, const std::string& name, const Node& node,
                     run::Level level) {
  if (node.is_hidden()) return unseen(view, Vendor::nvidia, "/dev/" + name, node, level);
  run::Finding finding{kCheck, level, "there is no /dev/" + name, "", {}};
  if (view.container != Container::none) {
    finding.why = "The driver is loaded on the host, but this container was not given the device.";
    finding.fix = toolkit(view);
  } else {
    finding.why = "The driver is loaded; the file is made when the first program asks for it.";
    finding.fix = {{"have it made", name == "nvidia-uvm" ? "sudo nvidia-modprobe -u -c 0"
                                                         : "sudo nvidia-modprobe -c 0"}};
  }
  return finding;
}

}  // namespace

void check_nvidia_devices(const View& view, run::Diagnosis& diagnosis) {
  if (!view.has(Vendor::nvidia)) return;
  const run::Level level = view.severity(Vendor::nvidia);
  if (!check_driver(view, level, diagnosis)) return;
  std::string opened;
  std::size_t open = 0;
  const std::vector<std::string> names = nodes_of(view);
  for (const std::string& name : names) {
    const std::filesystem::path path = "/dev/" + name;
    const Node node = view.system.look_at(path);
    if (node.exists && node.open_errno == 0) {
      if (open++ == 0) opened = described(view.system, node);
      continue;
    }
    diagnosis.findings.push_back(node.exists ? denied(view, Vendor::nvidia, path, node, level)
                                             : missing(view, name, node, level));
    return;  // the others fail alike
  }
  diagnosis.findings.push_back({kCheck,
                                run::Level::ok,
                                "/dev/nvidiactl, /dev/nvidia-uvm and " + std::to_string(open - 2) +
                                    (open == 3 ? " GPU node open; " : " GPU nodes open; ") + opened,
                                "",
                                {}});
}

}  // namespace parity::host
