// Whether LibTorch holds code for the GPUs that are here. Where it does not, calls fail with
// "invalid device function", or the process dies without a word.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "host/doctor/checks.h"
#include "host/doctor/tool_text.h"
#include "host/gfx_override.h"
#include "host/gpu_code.h"
#include "run/gfx_target.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "libtorch.targets";

bool covers(const Targets& targets, const std::string& gfx) {
  return std::any_of(targets.begin(), targets.end(),
                     [&](const std::string& target) { return run::runs_on(target, gfx); });
}

/// One kind of GPU of this machine, as a person may have it taken for another one.
struct AmdGpu {
  std::string gfx;
  std::optional<GfxOverride> claim;
};

/// One of each kind.
std::vector<AmdGpu> amd_gpus(const View& view) {
  std::vector<AmdGpu> gpus;
  std::set<std::pair<std::string, std::string>> seen;
  for (const KfdGpu& gpu : view.kfd) {
    if (gpu.gfx.empty()) continue;
    auto claim = gfx_override_of(view.system, gpu.runtime_node);
    if (seen.emplace(gpu.gfx, claim ? claim->name : "").second)
      gpus.push_back({gpu.gfx, std::move(claim)});
  }
  return gpus;
}

/// "gfx1030" as the variable takes it: "10.3.0".
std::string as_override(const std::string& gfx) {
  const std::size_t size = gfx.size();
  const std::string stepping =
      std::to_string(std::strtol(gfx.substr(size - 1).c_str(), nullptr, 16));
  return gfx.substr(3, size - 5) + "." + gfx.substr(size - 2, 1) + "." + stepping;
}

/// A target that runs on the same generation's instructions by experience: RDNA's differ within a
/// generation in little that a compiler uses.
std::string neighbour(const Targets& targets, const std::string& gfx) {
  if (gfx.size() < 7) return "";  // gfx9xx: no two are alike enough
  for (const std::string& target : targets) {
    if (target.size() == gfx.size() &&
        target.compare(0, gfx.size() - 2, gfx, 0, gfx.size() - 2) == 0)
      return target;
  }
  return "";
}

std::vector<run::Remedy> rebuild(const std::string& gfx, const Targets& targets) {
  std::vector<run::Remedy> fix = {
      {"use a LibTorch built for " + gfx + "; from source:",
       "PYTORCH_ROCM_ARCH=" + gfx + " python tools/amd_build/build_amd.py && PYTORCH_ROCM_ARCH=" +
           gfx + " python setup.py develop"}};
  const std::string near = neighbour(targets, gfx);
  if (!near.empty()) {
    fix.push_back({"or run " + near +
                       "'s code, which AMD does not support and whose numbers are "
                       "not this GPU's own:",
                   "export HSA_OVERRIDE_GFX_VERSION=" + as_override(near)});
  }
  return fix;
}

/// Architecture that code is chosen for: the variable stands above the hardware. Reports what is
/// wrong with the variable; "" when it is no architecture at all.
std::string effective(const View& view, const AmdGpu& gpu, const Targets& targets,
                      run::Diagnosis& diagnosis) {
  const std::string& gfx = gpu.gfx;
  if (!gpu.claim) return gfx;
  const auto& [name, value] = *gpu.claim;
  diagnosis.facts.set("switch." + name, value);
  std::string claimed = run::gfx_of_override(value);
  const std::string seen = name + "=" + value;
  const std::vector<run::Remedy> unset = {{"take it away", "unset " + name}};
  if (claimed.empty()) {
    diagnosis.findings.push_back({kCheck, view.severity(Vendor::amd),
                                  seen + " is no version of the form 10.3.0",
                                  "ROCm's runtime refuses to start with it.", unset});
  } else if (claimed == gfx) {
    diagnosis.findings.push_back({kCheck, run::Level::note, seen + " says what the GPU is anyway",
                                  "A GPU that comes in its place would be taken for it.", unset});
  } else if (covers(targets, gfx)) {
    diagnosis.findings.push_back(
        {kCheck, run::Level::warning,
         seen + " makes this " + gfx + " run code for " + claimed +
             ", though LibTorch has code of its own",
         "Numbers come from another chip's kernels, and instructions that this one lacks end the "
         "process with SIGILL or a memory fault.",
         unset});
  } else {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::warning,
         seen + " makes this " + gfx + " run code for " + claimed,
         "AMD does not support it; numbers come from another chip's kernels, so a comparison is "
         "with those.",
         {}});
  }
  return claimed;
}

void check_kernel_libraries(const View& view, const std::string& gfx, run::Diagnosis& diagnosis) {
  for (const auto& [name, inside] :
       {std::pair{"rocBLAS", "rocblas/library"}, std::pair{"hipBLASLt", "hipblaslt/library"}}) {
    std::filesystem::path folder = view.subject.torch_folder / inside;
    if (!view.system.exists(folder)) folder = std::filesystem::path("/opt/rocm/lib") / inside;
    const Targets targets = kernel_file_targets(view.system.file(folder));
    if (targets.empty() || targets.count(gfx) > 0) continue;
    const bool required = std::string(name) == "rocBLAS";
    diagnosis.findings.push_back(
        {kCheck, required ? view.severity(Vendor::amd) : run::Level::note,
         std::string(name) + " in " + folder.string() + " has no kernels for " + gfx + " (it has " +
             joined(targets) + ")",
         required ? "The first matrix product aborts the process: \"Cannot read "
                    "TensileLibrary.dat ... for GPU arch : " +
                        gfx + "\"."
                  : "Matrix products fall back to rocBLAS, whose rounding differs.",
         required ? rebuild(gfx, targets) : std::vector<run::Remedy>{}});
  }
}

void check_amd(const View& view, run::Diagnosis& diagnosis) {
  const auto library =
      ElfFile::open(view.system.file(view.subject.torch_folder / "libtorch_hip.so"));
  if (!library) return;
  const GpuCode code = hip_code(*library);
  if (code.targets.empty()) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::note,
                                  "the architectures of libtorch_hip.so cannot be read from it",
                                  code.unreadable
                                      ? "Its code is compressed in a way that parity cannot undo."
                                      : "It holds no code bundle.",
                                  {}});
    return;
  }
  diagnosis.facts.set("library.torch_targets", joined(code.targets));
  for (const AmdGpu& gpu : amd_gpus(view)) {
    const std::string gfx = effective(view, gpu, code.targets, diagnosis);
    if (gfx.empty()) continue;
    check_kernel_libraries(view, gfx, diagnosis);
    if (covers(code.targets, gfx)) {
      diagnosis.findings.push_back(
          {kCheck,
           run::Level::ok,
           "LibTorch has code for " + gfx + " (" + joined(code.targets) + ")",
           "",
           {}});
      continue;
    }
    diagnosis.findings.push_back(
        {kCheck, view.severity(Vendor::amd),
         "LibTorch has no code for " + gfx + "; it has " + joined(code.targets),
         "Kernels fail with \"HIP error: invalid device function\", or the process dies.",
         rebuild(gfx, code.targets)});
  }
}

/// Machine code of a GPU runs on those of the same major version and the same or a newer minor one;
/// intermediate code on all that are newer.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): code first, as everywhere here
bool runs_machine_code(int target, int gpu) { return target / 10 == gpu / 10 && target <= gpu; }

int number_in(const std::string& name) {
  return std::atoi(name.substr(name.find('_') + 1).c_str());
}

void check_one_nvidia(const View& view, const GpuCode& code, int capability,
                      run::Diagnosis& diagnosis) {
  const std::string gpu = "sm_" + std::to_string(capability);
  Targets all = code.targets;
  all.insert(code.intermediate.begin(), code.intermediate.end());
  const bool machine = std::any_of(
      code.targets.begin(), code.targets.end(),
      [&](const std::string& name) { return runs_machine_code(number_in(name), capability); });
  const bool compiled =
      std::any_of(code.intermediate.begin(), code.intermediate.end(),
                  [&](const std::string& name) { return number_in(name) <= capability; });
  if (machine) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::ok,
                                  "LibTorch has code for " + gpu + " (" + joined(all) + ")",
                                  "",
                                  {}});
  } else if (compiled) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::warning,
         "LibTorch has no machine code for " + gpu + ", only intermediate code (" + joined(all) +
             ")",
         "The driver compiles it at the first call: minutes once, and other rounding than a build "
         "for this GPU may have.",
         {}});
  } else {
    diagnosis.findings.push_back(
        {kCheck,
         view.severity(Vendor::nvidia),
         "LibTorch has no code for " + gpu + "; it has " + joined(all),
         "Kernels fail with \"no kernel image is available for execution on the device\".",
         {{"use a LibTorch built for it; from source:",
           "TORCH_CUDA_ARCH_LIST=" + std::to_string(capability / 10) + "." +
               std::to_string(capability % 10) + " python setup.py develop"}}});
  }
}

void check_nvidia(const View& view, run::Diagnosis& diagnosis) {
  const auto library =
      ElfFile::open(view.system.file(view.subject.torch_folder / "libtorch_cuda.so"));
  if (!library) return;
  const GpuCode code = cuda_code(*library);
  if (code.targets.empty() && code.intermediate.empty()) return;
  diagnosis.facts.set("library.torch_targets", joined(code.targets));
  const ChildEnd end =
      view.system.run("nvidia-smi", {"--query-gpu=compute_cap", "--format=csv,noheader"});
  if (end.ending == Ending::not_found) return;  // which the check of CUDA has said
  std::set<int> capabilities;
  for (const std::string& line : lines_of(end.succeeded() ? end.out : "")) {
    const auto capability = release_of(line);
    if (capability) capabilities.insert(capability->major * 10 + capability->minor);
  }
  if (capabilities.empty()) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::note,
                                  "nvidia-smi does not tell the GPU's compute capability",
                                  "Whether LibTorch has code for it, which is for " +
                                      joined(code.targets) + ", stays unknown until it is tried.",
                                  {}});
  }
  for (const int capability : capabilities) check_one_nvidia(view, code, capability, diagnosis);
}

}  // namespace

void check_gpu_code(const View& view, run::Diagnosis& diagnosis) {
  if (view.torch == TorchBuild::hip && view.has(Vendor::amd)) check_amd(view, diagnosis);
  if (view.torch == TorchBuild::cuda && view.has(Vendor::nvidia)) check_nvidia(view, diagnosis);
}

}  // namespace parity::host
