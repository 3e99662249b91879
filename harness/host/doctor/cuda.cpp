// CUDA: whether the driver answers, and whether it is new enough for the runtime that LibTorch
// brings.
#include "host/doctor/checks.h"
#include "host/doctor/tool_finding.h"
#include "host/doctor/tool_text.h"
#include "host/elf_file.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "cuda";

ToolCall nvidia_smi() { return {kCheck, "nvidia-smi -q"}; }

/// Version of CUDA's runtime in LibTorch: what its package says, else the major one of the
/// libraries that it asks for.
std::string runtime_version(const View& view) {
  if (!view.torch_cuda.empty()) return view.torch_cuda;
  const auto library =
      ElfFile::open(view.system.file(view.subject.torch_folder / "libtorch_cuda.so"));
  if (!library) return "";
  static constexpr std::string_view kStem = "libcudart.so.";
  for (const std::string& name : library->needed()) {
    if (name.rfind(kStem, 0) == 0) return name.substr(kStem.size());
  }
  return "";
}

void report_failure(const View& view, const ChildEnd& end, run::Level level,
                    run::Diagnosis& diagnosis) {
  if (end.ending == Ending::not_found) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::note,
         "nvidia-smi is not installed",
         view.container == Container::none
             ? "It comes with the driver; without it the driver's CUDA version stays unknown."
             : "A container gets it only with NVIDIA_DRIVER_CAPABILITIES=compute,utility.",
         {}});
    return;
  }
  if (auto finding = unstartable(nvidia_smi(), end)) {
    diagnosis.findings.push_back(std::move(*finding));
    return;
  }
  run::Finding finding{kCheck, level, "nvidia-smi fails: " + ending_text(end), "", {}};
  const std::string said = end.out + end.err;
  if (said.find("version mismatch") != std::string::npos) {
    finding.why = "The driver's libraries were updated and the kernel still runs the old module.";
    finding.fix = {
        on_host(view, "load the new module: reboot, or when nothing uses the GPU",
                "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia")};
  } else if (said.find("couldn't communicate") != std::string::npos) {
    finding.why = "The kernel module is not loaded, or does not fit this kernel.";
    finding.fix = {on_host(view, "load it and see why not",
                           "sudo modprobe nvidia; sudo dmesg | grep -iE 'nvrm|nvidia'")};
  } else {
    finding.why = "The driver does not answer its own tool, so CUDA will not work either.";
    finding.fix = {{"see all that it says", "nvidia-smi -q"}};
  }
  diagnosis.findings.push_back(std::move(finding));
}

struct Driver {
  std::string version;
  std::string supports;  ///< newest CUDA that it runs
};

void compare_versions(const View& view, const Driver& driver, run::Diagnosis& diagnosis) {
  const std::string runtime = runtime_version(view);
  const auto newest = release_of(driver.supports);
  if (!newest) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::note,
         "driver " + driver.version + "; nvidia-smi does not tell up to which CUDA",
         "Whether the driver runs the CUDA that LibTorch brings stays unknown until it is tried.",
         {}});
    return;
  }
  diagnosis.facts.set("cuda.driver_supports", driver.supports);
  if (runtime.empty()) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::ok,
                                  "driver " + driver.version + ", CUDA up to " + driver.supports,
                                  "",
                                  {}});
    return;
  }
  diagnosis.facts.set("cuda.runtime", runtime);
  const auto exact = release_of(runtime);
  const int major = exact ? exact->major : std::atoi(runtime.c_str());
  const std::string seen = "driver " + driver.version + " runs CUDA up to " + driver.supports +
                           "; LibTorch brings CUDA " + runtime;
  if (newest->major < major) {
    diagnosis.findings.push_back(
        {kCheck,
         view.severity(Vendor::nvidia),
         seen,
         "A driver runs no newer major version: calls fail with \"CUDA driver version is "
         "insufficient for CUDA runtime version\".",
         {{"update the driver, or install LibTorch for CUDA " + std::to_string(newest->major),
           "pip install torch --index-url https://download.pytorch.org/whl/cu" +
               std::to_string(newest->major) + std::to_string(newest->minor)}}});
  } else if (exact && *newest < *exact) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::note,
         seen,
         "Within one major version this works, except that intermediate code (PTX) cannot be "
         "compiled for the GPU.",
         {}});
  } else {
    diagnosis.findings.push_back({kCheck, run::Level::ok, seen, "", {}});
  }
}

}  // namespace

void check_cuda(const View& view, run::Diagnosis& diagnosis) {
  if (!view.has(Vendor::nvidia)) return;
  const std::string module = version_in(view.system.line("/proc/driver/nvidia/version"));
  if (!module.empty()) diagnosis.facts.set("cuda.driver", module);
  const ChildEnd end = view.system.run("nvidia-smi", {"-q"});
  if (!end.succeeded()) {
    report_failure(view, end, view.severity(Vendor::nvidia), diagnosis);
    return;
  }
  const Driver driver{version_in(value_of(end.out, "Driver Version")),
                      version_in(value_of(end.out, "CUDA Version"))};
  if (driver.version.empty()) {
    diagnosis.findings.push_back(speechless(nvidia_smi(), "the driver's version", end));
    return;
  }
  diagnosis.facts.set("cuda.driver", driver.version);
  compare_versions(view, driver, diagnosis);
}

}  // namespace parity::host
