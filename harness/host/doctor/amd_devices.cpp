// /dev/kfd takes the work, /dev/dri/renderD* the memory: ROCm needs both of every GPU.
#include <map>
#include <optional>
#include <utility>

#include "host/doctor/checks.h"
#include "host/doctor/device_access.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "devices.amd";
constexpr const char* kKfd = "/dev/kfd";
constexpr const char* kDri = "/dev/dri";

bool check_driver(const View& view, run::Level level, run::Diagnosis& diagnosis) {
  if (!view.kfd.empty() || view.system.exists("/sys/module/amdgpu")) return true;
  run::Finding finding{kCheck, level, "the amdgpu driver is not loaded", "", {}};
  finding.why = "Without it there is no /dev/kfd, and ROCm sees no GPU.";
  finding.fix = {on_host(view, "load it", "sudo modprobe amdgpu"),
                 on_host(view, "if that fails, see why", "sudo dmesg | grep -i amdgpu")};
  diagnosis.findings.push_back(std::move(finding));
  return false;
}

bool check_kfd(const View& view, run::Level level, run::Diagnosis& diagnosis) {
  const Node node = view.system.look_at(kKfd);
  if (node.exists && node.open_errno == 0) return true;
  if (node.exists) {
    diagnosis.findings.push_back(denied(view, Vendor::amd, kKfd, node, level));
    return false;
  }
  if (node.is_hidden()) {
    diagnosis.findings.push_back(unseen(view, Vendor::amd, kKfd, node, level));
    return false;
  }
  run::Finding finding{kCheck, level, "there is no /dev/kfd", "", {}};
  if (view.container != Container::none) {
    finding.why = "The host has an AMD GPU, but this container was not given it.";
    finding.fix = container_fix(view, Vendor::amd, 0);
  } else {
    finding.why =
        "The amdgpu driver is loaded and did not make its compute device: it does not support this "
        "GPU for compute, or its start failed.";
    finding.fix = {{"see what the driver says", "sudo dmesg | grep -iE 'kfd|amdgpu'"}};
  }
  diagnosis.findings.push_back(std::move(finding));
  return false;
}

/// Render nodes that ought to be there: those of the topology, else all that are.
std::vector<std::string> render_nodes(const View& view) {
  std::vector<std::string> names;
  for (const KfdGpu& gpu : view.kfd) {
    if (gpu.render_minor >= 0) names.push_back("renderD" + std::to_string(gpu.render_minor));
  }
  if (!names.empty()) return names;
  for (const std::string& name : view.system.names_in(kDri)) {
    if (name.rfind("renderD", 0) == 0) names.push_back(name);
  }
  return names;
}

struct RenderNodes {
  std::string opened;  ///< description of the first that opens
  std::size_t open = 0;
  std::vector<std::string> missing;
  std::vector<std::pair<std::string, Node>> denied;
  /// The folder that cannot be listed, or the first node in it that cannot be looked at.
  std::optional<std::pair<std::filesystem::path, Node>> unseen;
};

RenderNodes look_at_render_nodes(const View& view, const std::vector<std::string>& names) {
  RenderNodes nodes;
  const Node folder = view.system.look_at(kDri);
  const bool is_closed = folder.exists && folder.open_errno != 0;
  if (names.empty() && (is_closed || folder.is_hidden())) nodes.unseen.emplace(kDri, folder);
  for (const std::string& name : names) {
    const std::filesystem::path path = std::filesystem::path(kDri) / name;
    const Node node = view.system.look_at(path);
    if (node.is_hidden()) {
      if (!nodes.unseen) nodes.unseen.emplace(path, node);
    } else if (!node.exists) {
      nodes.missing.push_back(name);
    } else if (node.open_errno != 0) {
      nodes.denied.emplace_back(name, node);
    } else if (nodes.open++ == 0) {
      nodes.opened = described(view.system, node);
    }
  }
  return nodes;
}

void report_denied(const View& view, const RenderNodes& nodes, run::Level level,
                   run::Diagnosis& diagnosis) {
  // One finding for all that fail alike.
  std::map<std::pair<std::uint32_t, int>, std::size_t> alike;
  for (const auto& [name, node] : nodes.denied) ++alike[{node.gid, node.open_errno}];
  for (const auto& [name, node] : nodes.denied) {
    std::size_t& count = alike[{node.gid, node.open_errno}];
    if (count == 0) continue;
    run::Finding finding =
        denied(view, Vendor::amd, std::filesystem::path(kDri) / name, node, level);
    if (count > 1) finding.seen += "; so are " + std::to_string(count - 1) + " more";
    diagnosis.findings.push_back(std::move(finding));
    count = 0;
  }
}

void report_missing(const View& view, const RenderNodes& nodes, run::Level level,
                    run::Diagnosis& diagnosis) {
  const bool some = nodes.open > 0;
  run::Finding finding{kCheck, some ? run::Level::warning : level, "", "", {}};
  if (nodes.missing.empty()) {
    finding.seen = "there is no /dev/dri/renderD*";
  } else {
    finding.seen = "/dev/dri/" + nodes.missing.front() + " is not there" +
                   (nodes.missing.size() > 1
                        ? ", nor are " + std::to_string(nodes.missing.size() - 1) + " more"
                        : "");
  }
  finding.why = some ? "The driver knows a GPU that this process cannot use."
                     : "ROCm maps a GPU's memory through its render node.";
  if (view.container != Container::none)
    finding.fix = container_fix(view, Vendor::amd, view.system.look_at(kKfd).gid);
  else
    finding.fix = {{"see what the driver says", "sudo dmesg | grep -iE 'drm|amdgpu'"}};
  diagnosis.findings.push_back(std::move(finding));
}

void note_hidden(const View& view, run::Diagnosis& diagnosis) {
  std::size_t hidden = 0;
  for (const KfdGpu& gpu : view.kfd) hidden += gpu.gfx.empty() ? 1U : 0U;
  if (hidden == 0 || hidden == view.kfd.size()) return;
  diagnosis.findings.push_back({kCheck,
                                run::Level::note,
                                std::to_string(hidden) + " of " + std::to_string(view.kfd.size()) +
                                    " AMD GPUs of this host are not given to this process",
                                "The device rules of its container leave them out.",
                                {}});
}

}  // namespace

void check_amd_devices(const View& view, run::Diagnosis& diagnosis) {
  if (!view.has(Vendor::amd)) return;
  const run::Level level = view.severity(Vendor::amd);
  if (!check_driver(view, level, diagnosis)) return;
  const bool compute = check_kfd(view, level, diagnosis);
  const std::vector<std::string> names = render_nodes(view);
  const RenderNodes nodes = look_at_render_nodes(view, names);
  report_denied(view, nodes, level, diagnosis);
  if (nodes.unseen) {
    const auto& [path, node] = *nodes.unseen;
    diagnosis.findings.push_back(unseen(view, Vendor::amd, path, node, level));
  }
  // Without /dev/kfd the container's flags have been named already.
  const bool none_there = names.empty() && !nodes.unseen;
  if ((!nodes.missing.empty() || none_there) && compute)
    report_missing(view, nodes, level, diagnosis);
  note_hidden(view, diagnosis);
  if (!compute || nodes.open == 0 || !nodes.denied.empty() || nodes.unseen) return;
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::ok,
       "/dev/kfd and " + std::to_string(nodes.open) +
           (nodes.open == 1 ? " render node open; " : " render nodes open; ") + nodes.opened,
       "",
       {}});
}

}  // namespace parity::host
