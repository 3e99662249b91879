#include "host/doctor/load_failure.h"

#include <array>
#include <cstdlib>

#include "run/shell_word.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "libtorch";

/// The word that ends where `end` starts.
std::string word_before(const std::string& text, std::size_t end) {
  const std::size_t start = text.find_last_of(" (", end - 1);
  return text.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1));
}

std::string word_after(const std::string& text, std::size_t start) {
  const std::size_t first = text.find_first_not_of(" `", start);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_first_of(" ,')", first) - first);
}

struct RuntimeCause {
  const char* words;
  const char* why;
  const char* fix;
};

constexpr auto kRuntimeCauses = std::to_array<RuntimeCause>({
    {"insufficient for CUDA runtime", "The driver is older than the CUDA that LibTorch brings.",
     "sudo apt-get install --only-upgrade nvidia-driver-<newest>"},
    {"system not yet initialized",
     "On hosts with NVSwitch the fabric manager must run, in the driver's own version.",
     "sudo systemctl enable --now nvidia-fabricmanager"},
    {"forward compatibility was attempted",
     "A compatibility libcuda.so of a CUDA container is in use on a GPU that it is not made for.",
     "export LD_LIBRARY_PATH=\"$(echo \"$LD_LIBRARY_PATH\" | tr ':' '\\n' | grep -v compat | paste "
     "-sd:)\""},
    {"unknown error",
     "The driver failed, often after the machine has slept or a GPU fell off the bus.",
     "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"},
    {"out of memory", "Other processes hold all of the GPU's memory.",
     "nvidia-smi || amd-smi process"},
    {"no ROCm-capable device", "HIP sees no GPU: no access to /dev/kfd, or all are hidden.",
     "rocminfo"},
    {"no CUDA-capable device", "CUDA sees no GPU: hidden, or its device files are missing.",
     "nvidia-smi -L"},
    {"it counts no device", "The runtime works and sees no GPU: hidden, or no access to its files.",
     "rocminfo || nvidia-smi -L"},
});

}  // namespace

LoaderCause loader_cause(const std::string& message) {
  const std::size_t missing = message.find(": cannot open shared object file");
  if (missing != std::string::npos) {
    const std::string name = word_before(message, missing);
    return {name + " is missing.", "ldconfig -p | grep " + run::shell_word(name)};
  }
  static constexpr std::string_view kSymbol = "undefined symbol: ";
  const std::size_t symbol = message.find(kSymbol);
  if (symbol != std::string::npos) {
    const std::string name = word_after(message, symbol + kSymbol.size());
    return {"Symbol " + name +
                " is in none of the libraries: they are of different versions, or another copy "
                "comes first.",
            "c++filt " + run::shell_word(name)};
  }
  static constexpr std::string_view kVersion = "version `";
  const std::size_t version = message.find(kVersion);
  if (version != std::string::npos && message.find("not found") != std::string::npos) {
    const std::string name = word_after(message, version + kVersion.size());
    return {"A system library is too old: it has no " + name + ".",
            name.rfind("GLIBCXX", 0) == 0 ? "conda install -c conda-forge libstdcxx-ng"
                                          : "ldd --version"};
  }
  if (message.find("file too short") != std::string::npos ||
      message.find("invalid ELF header") != std::string::npos) {
    return {"The file is damaged, as a broken download or a full disk leaves it.",
            "pip install --force-reinstall --no-cache-dir torch"};
  }
  return {"The loader refuses the library.", "ldd <library>"};
}

void report_no_device(const View& view, const NoDevice& cause, run::Diagnosis& diagnosis) {
  const bool wanted = view.subject.device.rfind("cuda", 0) == 0;
  const bool gpu = view.has(Vendor::amd) || view.has(Vendor::nvidia);
  const run::Level level = gpu || wanted ? run::Level::problem : run::Level::ok;
  run::Finding finding{kCheck, level, "LibTorch sees no GPU", "", {}};
  if (!cause.library_problem.empty()) {
    finding.seen += ": " + cause.library_problem;
    if (view.torch != TorchBuild::cpu) {
      const LoaderCause loader = loader_cause(cause.library_problem);
      finding.why = loader.why;
      if (level != run::Level::ok) finding.fix = {{"look for it", loader.fix}};
    }
  } else if (!cause.runtime_problem.empty()) {
    finding.seen += ": " + cause.runtime_problem;
    for (const RuntimeCause& known : kRuntimeCauses) {
      if (cause.runtime_problem.find(known.words) == std::string::npos) continue;
      finding.why = known.why;
      if (level == run::Level::ok) break;
      // The driver and its services are the machine's own.
      const bool is_of_machine = std::string_view(known.fix).starts_with("sudo ");
      finding.fix = {is_of_machine ? on_host(view, "", known.fix) : run::Remedy{"", known.fix}};
      break;
    }
  }
  if (finding.why.empty() && level != run::Level::ok)
    finding.why = "The findings on devices and drivers say why.";
  diagnosis.findings.push_back(std::move(finding));
}

}  // namespace parity::host
