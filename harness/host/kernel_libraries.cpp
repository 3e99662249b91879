#include "host/kernel_libraries.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "host/elf_file.h"
#include "host/file_mark.h"
#include "run/fact_groups.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;

/// Beginnings of stems. Among them compilers of kernels (nvrtc, comgr, the driver's PTX compiler),
/// and libraries of threads, whose number and split of work decide the order of sums.
constexpr std::array<std::string_view, 52> kComputing = {
    "libtorch_",        "libc10",
    "libcublas",        "libcudnn",
    "libcufft",         "libcurand",
    "libcusolver",      "libcusparse",
    "libcudart",        "libcuda.",
    "libnvrtc",         "libnvJitLink",
    "libnvfuser",       "libnvidia-ptxjitcompiler",
    "libnvidia-nvvm",   "libnvblas",
    "libcutensor",      "libcutlass",
    "librocblas",       "libhipblas",
    "libMIOpen",        "libamdhip64",
    "libhsa-runtime64", "libamd_comgr",
    "libaotriton",      "librocfft",
    "libhipfft",        "librocsparse",
    "libhipsparse",     "librocsolver",
    "libhipsolver",     "librocrand",
    "libhiprand",       "libhiprtc",
    "libmkl_",          "libdnnl",
    "libmkldnn",        "libopenblas",
    "libblis",          "libarmpl",
    "libarm_compute",   "libfbgemm",
    "libsleef",         "libsvml",
    "libimf",           "libgomp",
    "libiomp",          "libomp",
    "libtriton",        "libm.",
    "libmvec",          "libtbb"};

/// Kernel files outside the library itself: where they are by default, seen from its folder, and
/// the variable that stands above that.
struct KernelFolder {
  std::string_view library;  ///< stem
  std::string_view name;
  std::string_view folder;
  std::string_view variable;
};
constexpr std::array<KernelFolder, 4> kKernelFolders = {{
    {"librocblas", "rocblas", "rocblas/library", "ROCBLAS_TENSILE_LIBPATH"},
    {"libhipblaslt", "hipblaslt", "hipblaslt/library", "HIPBLASLT_TENSILE_LIBPATH"},
    {"libMIOpen", "miopen", "../share/miopen/db", "MIOPEN_SYSTEM_DB_PATH"},
    {"libaotriton_v2", "aotriton", "aotriton.images", ""},
}};

/// Files behind the mappings of /proc/self/maps whose names are those of shared libraries.
std::set<fs::path> mapped_libraries(const std::string& maps) {
  std::set<fs::path> files;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const fs::path file = line.substr(slash);
    if (file.filename().string().find(".so") != std::string::npos) files.insert(file);
  }
  return files;
}

/// The part of parity that is linked with LibTorch: no operators, and other bytes in every build.
constexpr std::string_view kOwnLibrary = "libparity_torch";

/// A library of custom operators registers them with LibTorch, whatever it is called.
bool is_linked_to_torch(const fs::path& file) {
  const auto library = ElfFile::open(file);
  if (!library) return false;
  const std::vector<std::string>& needed = library->needed();
  return std::any_of(needed.begin(), needed.end(), [](const std::string& name) {
    return name.rfind("libtorch", 0) == 0 || name.rfind("libc10", 0) == 0;
  });
}

/// Where the library lies, with the links in the way to it followed: kernels lie beside the file.
void add_kernel_folder(const System& system, const KernelFolder& kernels, const fs::path& library,
                       const std::string& arch, run::Provenance& facts) {
  const auto named = system.variable(std::string(kernels.variable));
  const fs::path folder = named && !named->empty()
                              ? fs::path(*named)
                              : (library.parent_path() / kernels.folder).lexically_normal();
  const std::string mark = folder_mark(system.file(folder), arch);
  if (!mark.empty())
    facts.set(std::string(run::kLibraryFiles.prefix) + std::string(kernels.name) + "_kernels",
              mark);
}

}  // namespace

std::string library_stem(std::string_view file_name) {
  std::string stem(file_name.substr(0, file_name.find(".so")));
  constexpr std::size_t kHash = 9;  // "-a34b3233"
  if (stem.size() > kHash && stem[stem.size() - kHash] == '-' &&
      stem.find_first_not_of("0123456789abcdef", stem.size() - kHash + 1) == std::string::npos)
    stem.resize(stem.size() - kHash);
  return stem;
}

bool computes_numbers(std::string_view stem) {
  // The dot ends the stem, for entries that are whole names.
  const std::string name = std::string(stem) + ".";
  return std::any_of(kComputing.begin(), kComputing.end(),
                     [&](std::string_view start) { return name.rfind(start, 0) == 0; });
}

run::Provenance kernel_library_facts(const System& system, const std::string& arch) {
  std::map<std::string, std::set<std::string>> marks;
  run::Provenance folders;
  std::size_t count = 0;
  for (const fs::path& library : mapped_libraries(system.text("/proc/self/maps").value_or(""))) {
    const std::string stem = library_stem(library.filename().string());
    const fs::path file = system.file(library);
    if (stem == kOwnLibrary) continue;
    if (!computes_numbers(stem) && !is_linked_to_torch(file)) continue;
    const std::string mark = file_mark(file) + ", " + library.filename().string();
    if (marks[stem].insert(mark).second) ++count;
    for (const KernelFolder& kernels : kKernelFolders) {
      if (kernels.library == stem) add_kernel_folder(system, kernels, library, arch, folders);
    }
  }
  run::Provenance facts;
  facts.set(run::kLibraryFiles.summary,
            std::to_string(count) + (count == 1 ? " library" : " libraries"));
  for (const auto& [stem, of_stem] : marks) {
    std::string text;
    for (const std::string& mark : of_stem) text += (text.empty() ? "" : " + ") + mark;
    facts.set(std::string(run::kLibraryFiles.prefix) + stem, text);
  }
  facts.merge(folders);
  return facts;
}

}  // namespace parity::host
