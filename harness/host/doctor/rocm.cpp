// ROCm: which version is installed, whether its tools answer, and whether kernel driver and user
// space are of releases that AMD tests together.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "host/doctor/checks.h"
#include "host/doctor/tool_finding.h"
#include "host/doctor/tool_text.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "rocm";

/// Releases of user space that AMD supports on a driver.
/// Source: "User and AMD GPU Driver (amdgpu) support matrix" of AMD's installation guide, of
/// September 2025; for 7.1 and 7.2 its rule that from 6.4 on a year may lie between the two, and
/// "compatible with ROCm 7.2.x, 7.1.x, 7.0.x, 6.4.x, and 6.3.x" of driver 30.30.
struct Support {
  Release driver;
  Release oldest;
  Release newest;
};
constexpr auto kSupport = std::to_array<Support>({{{5, 3}, {5, 1}, {5, 5}},
                                                  {{5, 4}, {5, 2}, {5, 6}},
                                                  {{5, 5}, {5, 3}, {5, 7}},
                                                  {{5, 6}, {5, 4}, {6, 0}},
                                                  {{5, 7}, {5, 5}, {6, 1}},
                                                  {{6, 0}, {5, 6}, {6, 2}},
                                                  {{6, 1}, {5, 7}, {6, 4}},
                                                  {{6, 2}, {6, 0}, {7, 0}},
                                                  {{6, 3}, {6, 1}, {7, 1}},
                                                  {{6, 4}, {6, 1}, {7, 2}},
                                                  {{30, 10}, {6, 2}, {7, 2}},
                                                  {{30, 20}, {6, 3}, {7, 2}},
                                                  {{30, 30}, {6, 3}, {7, 2}}});
constexpr Release kNewestKnown{7, 2};

std::string installed_version(const System& system) {
  for (const char* file : {"/opt/rocm/.info/version", "/opt/rocm/.info/version-dev"}) {
    std::string version = system.line(file);
    if (!version.empty()) return version;
  }
  for (const std::string& name : system.names_in("/opt")) {
    if (name.rfind("rocm-", 0) == 0) return name.substr(5);
  }
  return "";
}

/// AMD's driver package gives the module a version; the one of the kernel has none.
std::string driver_text(const System& system, const std::string& version) {
  if (!version.empty()) return "amdgpu driver " + version;
  return system.exists("/sys/module/amdgpu") ? "the kernel's own amdgpu driver"
                                             : "no amdgpu driver loaded";
}

/// The driver's release inside the version of package amdgpu-dkms: "1:6.12.12.60402-2187269.22.04"
/// came with ROCm 6.4.2, "1:6.14.14.30100200-2226257.24.04" is 30.10.2, one of the drivers that
/// have numbers of their own. nullopt for a driver of the kernel itself.
std::optional<Release> driver_release(const System& system) {
  const std::string status = system.text("/var/lib/dpkg/status").value_or("");
  const std::size_t package = status.find("Package: amdgpu-dkms\n");
  if (package == std::string::npos) return std::nullopt;
  const std::string entry = status.substr(package, status.find("\n\n", package) - package);
  const std::string version = value_of(entry, "Version");
  const std::size_t dash = version.find('-');
  const std::size_t dot = version.rfind('.', dash);
  if (dash == std::string::npos || dot == std::string::npos) return std::nullopt;
  const std::string digits = version.substr(dot + 1, dash - dot - 1);
  const bool of_rocm = digits.size() == 5;
  if (!of_rocm && digits.size() != 8) return std::nullopt;
  const int number = std::atoi(digits.c_str()) / (of_rocm ? 100 : 10000);
  return Release{number / 100, number % 100};
}

std::string driver_name(const Release& driver) {
  const std::string number = std::to_string(driver.major) + "." + std::to_string(driver.minor);
  return driver.major < 30 ? "of ROCm " + number : "amdgpu " + number;
}

void check_against_driver(const View& view, const std::string& user_space,
                          run::Diagnosis& diagnosis) {
  const auto driver = driver_release(view.system);
  const auto user = release_of(user_space);
  if (!driver || !user || *user > kNewestKnown) return;
  const auto* const row =
      std::find_if(kSupport.begin(), kSupport.end(),
                   [&](const Support& support) { return support.driver == *driver; });
  if (row == kSupport.end() || (row->oldest <= *user && *user <= row->newest)) return;
  const auto text = [](const Release& release) {
    return std::to_string(release.major) + "." + std::to_string(release.minor);
  };
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::warning,
       "the kernel driver is " + driver_name(*driver) + ", user space is " + user_space,
       "AMD supports ROCm " + text(row->oldest) + " to " + text(row->newest) +
           " on it; further apart, kernels may fail to start or hang.",
       {on_host(view, "install the driver of a nearer release, or LibTorch built for one",
                "sudo amdgpu-install --usecase=dkms")}});
}

/// The GPU agents that rocminfo lists, by the names of their architectures.
std::vector<std::string> gpus_of(const std::string& text) {
  std::vector<std::string> gpus;
  std::string name;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("Agent ", 0) == 0) name.clear();
    if (name.empty() && line.rfind("Name:", 0) == 0) name = value_of(line, "Name");
    if (line.rfind("Device Type:", 0) == 0 && value_of(line, "Device Type") == "GPU")
      gpus.push_back(name);
  }
  return gpus;
}

/// What rocminfo says of its own failure, which it prints among other lines: the first of these
/// words that it says. Where a call failed it also says in which line of its source, before why.
std::string complaint(const ChildEnd& end) {
  const std::vector<std::string> lines = lines_of(end.out + "\n" + end.err);
  for (const char* words : {"Unable to open", "NOT loaded", "NOT live", "hsa_init Failed",
                            "HSA_STATUS_ERROR", "hsa api call"}) {
    for (const std::string& line : lines) {
      if (line.find(words) != std::string::npos) return line;
    }
  }
  return ending_text(end);
}

/// AMD's tools look for the state of a loadable module, which a driver that is part of the kernel
/// does not have, and give up before they ask the driver.
bool takes_built_in_for_missing(const View& view, const std::string& said) {
  const bool missing = said.find("NOT loaded") != std::string::npos ||
                       said.find("not found in modules") != std::string::npos;
  return missing && view.system.exists("/sys/module/amdgpu") &&
         !view.system.exists("/sys/module/amdgpu/initstate");
}
constexpr const char* kBuiltIn =
    "The amdgpu driver is part of this kernel, and this release of the tool only knows it as a "
    "module: it gave up without asking the driver. LibTorch does ask.";

void check_agents(const std::vector<std::string>& gfx, run::Level level,
                  run::Diagnosis& diagnosis) {
  if (gfx.empty()) {
    diagnosis.findings.push_back({kCheck,
                                  level,
                                  "rocminfo answers and lists no GPU",
                                  "LibTorch asks the same runtime and will see none either.",
                                  {{"see what it lists", "rocminfo"}}});
    return;
  }
  diagnosis.facts.set("rocm.agents", joined(gfx));
  diagnosis.findings.push_back({kCheck,
                                run::Level::ok,
                                "rocminfo lists " + std::to_string(gfx.size()) +
                                    (gfx.size() == 1 ? " GPU: " : " GPUs: ") + joined(gfx),
                                "",
                                {}});
}

void check_rocminfo(const View& view, run::Level level, run::Diagnosis& diagnosis) {
  const ChildEnd end = view.system.run("rocminfo", {});
  if (end.ending == Ending::not_found) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::note,
         "rocminfo is not installed",
         "LibTorch's wheels bring the runtime along, so this need not stop them; the tool would "
         "tell more.",
         {{"install it", "sudo apt-get install rocminfo"}}});
    return;
  }
  if (auto finding = unstartable({kCheck, "rocminfo"}, end)) {
    diagnosis.findings.push_back(std::move(*finding));
    return;
  }
  const std::vector<std::string> gpus = gpus_of(end.out);
  if (end.succeeded()) return check_agents(gpus, level, diagnosis);
  const std::string said = complaint(end);
  if (takes_built_in_for_missing(view, said)) {
    diagnosis.findings.push_back(
        {kCheck, run::Level::note, "rocminfo fails: " + said, kBuiltIn, {}});
    return;
  }
  diagnosis.findings.push_back(
      {kCheck,
       level,
       "rocminfo fails: " + said,
       "It asks the same runtime as LibTorch, which will see no GPU either.",
       {{"see all that it says", "rocminfo"}}});
}

/// What went wrong with amd-smi or rocm-smi; "" when nothing did. Without a driver they may end
/// with 0, and complain among their lines.
std::string complaint_of_smi(const ChildEnd& end) {
  if (!end.succeeded()) return ending_text(end);
  for (const std::string& line : lines_of(end.out + "\n" + end.err)) {
    if (line.rfind("ERROR", 0) == 0) return line;
  }
  return "";
}

run::Finding warning_of(const View& view, const ToolCall& call, const std::string& said) {
  run::Finding finding{kCheck,
                       run::Level::warning,
                       call.command.substr(0, call.command.find(' ')) + " fails: " + said,
                       "The driver does not answer its own tool.",
                       {}};
  if (takes_built_in_for_missing(view, said)) {
    finding.level = run::Level::note;
    finding.why = kBuiltIn;
  } else if (said.find("missing the following required groups") != std::string::npos) {
    finding.level = run::Level::note;
    finding.why =
        "This release of the tool asks for groups by their names, whatever the devices' own "
        "owners and modes allow. LibTorch does not.";
  } else {
    finding.fix = {{"see all that it says", call.command}};
  }
  return finding;
}

/// "N/A" is how the tools write what they do not know.
std::string known(const std::string& value) { return value == "N/A" ? "" : value; }

run::Finding answer_of(const std::string& tool, const std::string& rocm,
                       const std::string& driver) {
  std::string seen = tool + " answers";
  if (!rocm.empty()) seen += ": ROCm " + rocm;
  if (!driver.empty()) seen += (rocm.empty() ? ": driver " : ", driver ") + driver;
  return {kCheck, run::Level::ok, seen, "", {}};
}

run::Finding heard_of_amd_smi(const View& view, const ChildEnd& end) {
  const ToolCall call{kCheck, "amd-smi version"};
  if (auto finding = unstartable(call, end)) return std::move(*finding);
  const std::string said = complaint_of_smi(end);
  if (!said.empty()) return warning_of(view, call, said);
  std::string parts = end.out;
  std::replace(parts.begin(), parts.end(), '|', '\n');
  const std::string rocm = value_of(parts, "ROCm version");
  if (rocm.empty()) return speechless(call, "ROCm's version", end);
  // The kernel's own driver has no version: there, this is the kernel's whole banner.
  const std::string driver = version_in(value_of(parts, "amdgpu version").substr(0, 12));
  return answer_of("amd-smi", known(rocm), driver);
}

run::Finding heard_of_rocm_smi(const View& view, const ChildEnd& end, run::Diagnosis& diagnosis) {
  const ToolCall call{kCheck, "rocm-smi --showdriverversion"};
  if (auto finding = unstartable(call, end)) return std::move(*finding);
  const std::string said = complaint_of_smi(end);
  if (!said.empty()) return warning_of(view, call, said);
  const std::string driver = value_of(end.out, "Driver version");
  if (driver.empty()) return speechless(call, "the driver's version", end);
  if (!known(driver).empty()) diagnosis.facts.set("rocm.driver", driver);
  return answer_of("rocm-smi", "", known(driver));
}

/// amd-smi, or its predecessor.
void check_management_tool(const View& view, run::Diagnosis& diagnosis) {
  const ChildEnd end = view.system.run("amd-smi", {"version"});
  if (end.ending != Ending::not_found) {
    diagnosis.findings.push_back(heard_of_amd_smi(view, end));
    return;
  }
  const ChildEnd old = view.system.run("rocm-smi", {"--showdriverversion"});
  if (old.ending != Ending::not_found)
    diagnosis.findings.push_back(heard_of_rocm_smi(view, old, diagnosis));
}

}  // namespace

void check_rocm(const View& view, run::Diagnosis& diagnosis) {
  if (!view.has(Vendor::amd)) return;
  const std::string installed = installed_version(view.system);
  const std::string driver = view.system.line("/sys/module/amdgpu/version");
  if (!driver.empty()) diagnosis.facts.set("rocm.driver", driver);
  if (!installed.empty()) {
    diagnosis.facts.set("rocm.version", installed);
    diagnosis.findings.push_back({kCheck,
                                  run::Level::ok,
                                  "ROCm " + installed + "; " + driver_text(view.system, driver),
                                  "",
                                  {}});
  } else {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::note,
         "no ROCm in /opt/rocm",
         "LibTorch's wheels bring their own; compiling custom operators takes an installed one.",
         {}});
  }
  const run::Level level = view.severity(Vendor::amd);
  check_rocminfo(view, level, diagnosis);
  check_management_tool(view, diagnosis);
  check_against_driver(view, view.torch_hip.empty() ? installed : view.torch_hip, diagnosis);
}

}  // namespace parity::host
