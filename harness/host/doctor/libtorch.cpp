// LibTorch: whether it loads at all, whether the one that is loaded is the one parity was built
// against, which GPUs it is for, and whether every library that it asks for is there.
#include <algorithm>
#include <set>

#include "host/doctor/checks.h"
#include "host/doctor/load_failure.h"
#include "host/doctor/tool_text.h"
#include "host/elf_file.h"
#include "host/library_search.h"
#include "host/operator_library/file_shape.h"
#include "run/shell_word.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "libtorch";

std::string text_of(TorchBuild build) {
  switch (build) {
    case TorchBuild::hip:
      return "ROCm build";
    case TorchBuild::cuda:
      return "CUDA build";
    case TorchBuild::cpu:
      return "CPU build";
    case TorchBuild::missing:
      break;
  }
  return "no libtorch_cpu.so";
}

void check_version(const View& view, run::Diagnosis& diagnosis) {
  const std::string built = version_in(view.subject.torch_headers);
  const std::string found =
      view.torch_version.empty() ? view.subject.torch_headers : view.torch_version;
  diagnosis.facts.set("library.torch", found);
  diagnosis.facts.set("library.torch_build", text_of(view.torch));
  std::string seen = "LibTorch " + found + ", " + text_of(view.torch);
  if (view.torch == TorchBuild::hip && !view.torch_hip.empty())
    seen += " for HIP " + view.torch_hip;
  if (view.torch == TorchBuild::cuda && !view.torch_cuda.empty())
    seen += " for CUDA " + view.torch_cuda;
  seen += ", in " + view.subject.torch_folder.string();
  if (version_in(found) == built) {
    diagnosis.findings.push_back({kCheck, run::Level::ok, seen, "", {}});
    return;
  }
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::problem,
       seen + "; parity was built against " + built,
       "LibTorch keeps no binary compatibility between versions: calls may fail or give other "
       "results.",
       {{"build parity against this one",
         "PARITY_TORCH_DIR=" + run::shell_word(view.subject.torch_folder.parent_path().string()) +
             " scripts/quickstart.sh"}}});
}

/// GCC's own ABI of std::string: "__cxx11" names are in every library of the new one.
void check_abi(const View& view, run::Diagnosis& diagnosis) {
  const auto library = ElfFile::open(view.system.file(view.subject.torch_folder / "libc10.so"));
  if (!library) return;
  const auto bytes = library->section(".dynstr");
  const std::string_view names(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool current = names.find("__cxx11") != std::string_view::npos;
  diagnosis.facts.set("library.torch_abi", current ? "cxx11" : "pre-cxx11");
  if (current) return;
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::problem,
       "this LibTorch is built with the old C++ ABI",
       "Its std::string is another one than the system's libraries have; custom operators and "
       "parity itself do not link with it.",
       {{"use a wheel of 2.7 or newer", "pip install --upgrade torch"}}});
}

/// A build for one vendor's GPUs in a machine with the other's.
void check_vendor(const View& view, run::Diagnosis& diagnosis) {
  const bool amd = view.has(Vendor::amd);
  const bool nvidia = view.has(Vendor::nvidia);
  const bool for_amd = view.torch == TorchBuild::hip;
  const bool for_nvidia = view.torch == TorchBuild::cuda;
  if ((amd && for_amd) || (nvidia && for_nvidia) || (!amd && !nvidia)) return;
  const std::string maker = amd ? "AMD" : "NVIDIA";
  diagnosis.findings.push_back(
      {kCheck,
       view.subject.device == "cpu" ? run::Level::note : run::Level::problem,
       "the GPU here is " + maker + "'s, and LibTorch is a " + text_of(view.torch),
       "It would run on the CPU.",
       {{"install LibTorch for this GPU and build parity against it",
         std::string("pip install torch --index-url https://download.pytorch.org/whl/") +
             (amd ? "rocm6.4" : "cu128")},
        {"or check the CPU alone", "parity doctor --device cpu"}}});
}

std::vector<run::Remedy> fix_for(const std::set<std::string>& missing) {
  const auto any = [&](const char* word) {
    return std::any_of(missing.begin(), missing.end(), [&](const std::string& name) {
      return name.find(word) != std::string::npos;
    });
  };
  if (any("libcuda.so")) {
    return {{"libcuda.so comes with the driver; in a container, the toolkit brings it in",
             "docker run --gpus all IMAGE parity doctor"}};
  }
  if (any("libamdhip64") || any("librocblas") || any("libhsa-runtime") || any("libMIOpen") ||
      any("libhipblas")) {
    return {{"install ROCm's libraries of the release that LibTorch is built for",
             "sudo amdgpu-install --usecase=rocm --no-dkms"},
            {"or show the loader where they are", "export LD_LIBRARY_PATH=/opt/rocm/lib"}};
  }
  return {{"install the packages that the wheel depends on", "pip install --force-reinstall torch"},
          {"or show the loader where they are", "export LD_LIBRARY_PATH=<folder with them>"}};
}

/// Those of LibTorch's libraries for GPUs that it has.
std::vector<std::string> device_libraries(const View& view) {
  std::vector<std::string> names = {"libtorch_hip.so", "libtorch_cuda.so"};
  std::erase_if(names, [&](const std::string& name) {
    return !view.system.exists(view.subject.torch_folder / name);
  });
  return names;
}

void report_cache(const std::string& problem, run::Diagnosis& diagnosis) {
  if (problem.empty()) return;
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::warning,
       "ldconfig fails: " + problem,
       "It lists the libraries that the loader knows, and those that it alone knows count as "
       "missing here.",
       {{"see what it says", "ldconfig -p"}}});
}

/// What is lost without a library.
constexpr const char* kKnowsTheCpuAlone =
    "The loader stops at the first of them, and LibTorch then knows the CPU alone.";
constexpr const char* kLoadsNothing =
    "The loader stops at the first of them, and nothing can run a model.";

struct Needed {
  std::string name;
  run::Level level;
  const char* lost;
};

void check_needed(const View& view, const LibrarySearch& search, const Needed& needed,
                  run::Diagnosis& diagnosis) {
  const auto& [name, level, lost] = needed;
  const std::filesystem::path file = view.subject.torch_folder / name;
  if (is_cut_off(view.system.file(file))) {
    diagnosis.findings.push_back({kCheck,
                                  level,
                                  name + " is cut off",
                                  "It ends before what its own tables say is in it; whoever loads "
                                  "it dies of SIGBUS.",
                                  {{"install LibTorch again, with enough room on the disk",
                                    "pip install --force-reinstall torch"}}});
    return;
  }
  const std::set<std::string> missing = missing_libraries(search, file, view.subject.torch_folder);
  if (missing.empty()) return;
  diagnosis.findings.push_back({kCheck, level,
                                name + " needs libraries that are not there: " + joined(missing),
                                lost, fix_for(missing)});
}

/// A LibTorch that no process can load: what it is cannot be asked, only what is wrong with it.
void report_broken(const View& view, run::Diagnosis& diagnosis) {
  const LoaderCause cause = loader_cause(view.subject.torch_problem);
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::problem,
       "LibTorch does not load: " + view.subject.torch_problem,
       cause.why + " No model can run; files can still be compared with one another.",
       {{"look for it", cause.fix},
        {"build parity against a LibTorch that is whole",
         "PARITY_TORCH_DIR=<folder with include/ and lib/> scripts/quickstart.sh --build-only"}}});
  if (view.torch == TorchBuild::missing) return;
  const LibrarySearch search(view.system);
  report_cache(search.cache_problem(), diagnosis);
  check_needed(view, search, {"libtorch_cpu.so", run::Level::problem, kLoadsNothing}, diagnosis);
}

}  // namespace

void check_libtorch(const View& view, run::Diagnosis& diagnosis) {
  if (!view.subject.torch_problem.empty()) {
    report_broken(view, diagnosis);
    return;
  }
  check_version(view, diagnosis);
  check_abi(view, diagnosis);
  check_vendor(view, diagnosis);
  // Without a GPU of its kind nothing is lost by a library that does not load.
  const auto level = [&](Vendor vendor) {
    return view.has(vendor) ? view.severity(vendor) : run::Level::note;
  };
  const std::vector<std::string> libraries = device_libraries(view);
  if (libraries.empty()) return;
  const LibrarySearch search(view.system);
  report_cache(search.cache_problem(), diagnosis);
  for (const std::string& name : libraries) {
    const Vendor vendor = name == "libtorch_hip.so" ? Vendor::amd : Vendor::nvidia;
    check_needed(view, search, {name, level(vendor), kKnowsTheCpuAlone}, diagnosis);
  }
}

}  // namespace parity::host
