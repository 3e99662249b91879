// Which GPUs are in the machine, as the PCI bus and the driver's topology tell without any tool.
#include <cstring>
#include <map>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

std::string counted(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(count) + " x " + what;
  }
  return text;
}

std::string gpus_of(const View& view, Vendor vendor) {
  std::map<std::string, int> counts;
  if (vendor == Vendor::amd && !view.kfd.empty()) {
    for (const KfdGpu& gpu : view.kfd) ++counts[gpu.gfx.empty() ? "hidden" : gpu.gfx];
  } else {
    for (const PciGpu& gpu : view.pci) {
      if (gpu.vendor == vendor) ++counts["PCI device " + gpu.device_id];
    }
  }
  const std::string maker = vendor == Vendor::amd ? "AMD" : "NVIDIA";
  return maker + " GPU" + (counts.empty() ? "" : " (" + counted(counts) + ")");
}

}  // namespace

void check_machine(const View& view, run::Diagnosis& diagnosis) {
  run::Finding finding;
  finding.check = "machine";
  for (const Vendor vendor : {Vendor::amd, Vendor::nvidia}) {
    if (!view.has(vendor)) continue;
    finding.seen += finding.seen.empty() ? "" : "; ";
    finding.seen += gpus_of(view, vendor);
  }
  if (finding.seen.empty()) {
    const bool wanted = view.subject.device.rfind("cuda", 0) == 0;
    finding.level = wanted ? run::Level::problem : run::Level::note;
    const Node bus = view.system.look_at(kPciDevices);
    const bool is_closed = bus.exists && bus.open_errno != 0;
    finding.seen = is_closed || bus.is_hidden()
                       ? "no AMD or NVIDIA GPU is to be seen: " + std::string(kPciDevices) +
                             " cannot be read (" + std::strerror(bus.open_errno) + ")"
                       : "no AMD or NVIDIA GPU on the PCI bus";
    finding.why = wanted ? "--device " + view.subject.device + " needs one."
                         : "Models run on the CPU here; --device cuda makes this a problem.";
    if (view.system.exists("/dev/dxg")) {
      finding.why +=
          " This is WSL, which shows its GPU as /dev/dxg: install the vendor's WSL "
          "driver on Windows.";
    } else if (wanted) {
      finding.fix = {{"look for it yourself", "lspci -nn | grep -E '\\[03|\\[12'"},
                     {"or run on the CPU", "parity doctor --device cpu"}};
    }
  }
  finding.seen += view.container == Container::none
                      ? "; not in a container"
                      : "; in a container (" + name(view.container) + ")";
  diagnosis.facts.set("host.container", name(view.container));
  diagnosis.findings.push_back(std::move(finding));
}

}  // namespace parity::host
