#include "host/operator_library/explain.h"

#include <algorithm>
#include <set>

#include "host/doctor/tool_text.h"
#include "host/elf_file.h"
#include "host/library_search.h"
#include "host/operator_library/cause.h"
#include "host/operator_library/file_shape.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;
constexpr const char* kMore = " (docs/custom-operators.md)";

/// What the file wants and nobody here gives.
Unmet unmet_of(const fs::path& file, const LoadingProcess& process) {
  Unmet unmet;
  const std::set<std::string> missing =
      missing_libraries(process.system, file, process.torch_folder, process.torch_folder);
  unmet.libraries.assign(missing.begin(), missing.end());
  const auto library = ElfFile::open(file);
  if (!library) return unmet;
  // Libraries that it asks for and that are not loaded, since loading stopped.
  std::set<std::string> given;
  const LibrarySearch search(process.system);
  std::vector<fs::path> near = library->search_folders();
  near.push_back(process.torch_folder);
  for (const std::string& name : library->needed()) {
    const fs::path own = process.torch_folder / name;
    if (process.system.exists(own) && !process.is_loaded(own)) unmet.libraries.push_back(name);
    const auto found = search.find(name, near);
    const auto needed = found && !found->empty() ? ElfFile::open(*found) : std::nullopt;
    if (!needed) continue;
    for (const ElfSymbol& symbol : needed->symbols()) {
      if (symbol.place == ElfSymbol::Place::here) given.insert(symbol.name);
    }
  }
  for (const ElfSymbol& symbol : library->symbols()) {
    if (symbol.place == ElfSymbol::Place::elsewhere && given.count(symbol.name) == 0 &&
        !process.is_defined(symbol.name)) {
      unmet.symbols.push_back(symbol.name);
    }
  }
  return unmet;
}

/// Names as people write them, without arguments: enough to search for.
std::string short_name(const std::string& symbol) {
  std::string text = demangled(symbol);
  text = text.substr(0, text.find('('));
  constexpr std::size_t kLongest = 80;
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

/// "it needs libcudart.so.12, cudaMalloc, cudaFree and 12 more": those of `kind` first.
template <class IsOfKind>
std::string needs_text(const Unmet& unmet, const IsOfKind& is_of_kind) {
  std::vector<std::string> names = unmet.libraries;
  names.insert(names.end(), unmet.symbols.begin(), unmet.symbols.end());
  std::stable_partition(names.begin(), names.end(), is_of_kind);
  std::set<std::string> shown;
  std::string text;
  for (const std::string& name : names) {
    if (shown.size() == 3) break;
    if (const std::string plain = short_name(name); shown.insert(plain).second)
      text += (text.empty() ? "" : ", ") + plain;
  }
  if (names.size() > shown.size())
    text += " and " + std::to_string(names.size() - shown.size()) + " more";
  return "it needs " + text;
}

// Used with literals alone.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string compile_line(const LoadingProcess& process, const std::string& compiler,
                         const std::string& source, const std::string& libraries) {
  const std::string torch = process.torch_folder.parent_path().string();
  return "`" + compiler + " -std=c++20 -shared " + source + " -I" + torch + "/include -I" + torch +
         "/include/torch/csrc/api/include -L" + torch + "/lib -lc10 -ltorch_cpu" + libraries +
         " -o ops.so`";
}

std::string build_name(const LoadingProcess& process) {
  switch (process.torch) {
    case TorchBuild::hip:
      return "a ROCm build";
    case TorchBuild::cuda:
      return "a CUDA build";
    case TorchBuild::cpu:
    case TorchBuild::missing:
      break;
  }
  return "a CPU build";
}

Error for_the_other_vendor(const std::string& start, const LoadingProcess& process,
                           const std::string& vendor) {
  const std::string here = start + vendor + " and this LibTorch is " + build_name(process) + "; ";
  if (process.torch == TorchBuild::hip) {
    return {ErrorKind::usage,
            here + "build it for AMD: " +
                compile_line(process,
                             "hipify-perl ops.cu > ops.hip && hipcc -fPIC --offload-arch=native",
                             "ops.hip", " -lc10_hip -ltorch_hip") +
                ", or with torch.utils.cpp_extension, which translates CUDA by itself" + kMore};
  }
  if (process.torch == TorchBuild::cuda) {
    return {ErrorKind::usage, here + "build it for NVIDIA: " +
                                  compile_line(process, "nvcc -arch=native -Xcompiler -fPIC",
                                               "ops.cu", " -lc10_cuda -ltorch_cuda") +
                                  kMore};
  }
  return {ErrorKind::usage, here + "build it without its GPU part, " +
                                compile_line(process, "g++ -fPIC", "ops.cpp", "") +
                                ", or use a LibTorch for the GPU" + kMore};
}

/// The GPU is the right one; its libraries are not there, or are of another release.
Error for_this_vendor(const std::string& start, const Unmet& unmet, const LoadingProcess& process) {
  if (!process.device_problem.empty()) {
    return {ErrorKind::device, start + ", and LibTorch's own GPU library is not loaded: " +
                                   process.device_problem + "; parity doctor says what to do"};
  }
  const std::string tool = process.torch == TorchBuild::hip ? "hipcc" : "nvcc";
  if (!unmet.libraries.empty()) {
    return {ErrorKind::usage,
            start +
                ", which are not here: it was built for another release than this LibTorch "
                "brings; build it again with the " +
                tool +
                " of this one's release, or show the loader where they are "
                "(LD_LIBRARY_PATH)" +
                kMore};
  }
  return {ErrorKind::usage, start + ", which LibTorch " + process.torch_version +
                                " has not; build it again against this one's headers" + kMore};
}

Error missing_names(const std::string& start, const Unmet& unmet, const LoadingProcess& process) {
  const auto none_first = [](const std::string&) { return false; };
  switch (built_for(unmet)) {
    case BuiltFor::cuda: {
      const std::string text = "it is built for CUDA (" + needs_text(unmet, is_of_cuda) + ")";
      return process.torch == TorchBuild::cuda ? for_this_vendor(start + text, unmet, process)
                                               : for_the_other_vendor(start, process, text);
    }
    case BuiltFor::hip: {
      const std::string text = "it is built for ROCm (" + needs_text(unmet, is_of_hip) + ")";
      return process.torch == TorchBuild::hip ? for_this_vendor(start + text, unmet, process)
                                              : for_the_other_vendor(start, process, text);
    }
    case BuiltFor::python:
      return {ErrorKind::usage,
              start + "it is a Python extension (" + needs_text(unmet, none_first) +
                  "), and parity runs without Python; build its TORCH_LIBRARY part alone, " +
                  compile_line(process, "g++ -fPIC", "ops.cpp", "") +
                  "; one that only happens to be linked with Python loses that with `patchelf "
                  "--remove-needed libtorch_python.so`" +
                  kMore};
    case BuiltFor::other_abi:
      return {ErrorKind::usage,
              start + "it is built with the old C++ ABI (" + needs_text(unmet, none_first) +
                  "), and LibTorch " + process.torch_version +
                  " with the new one; build it again with -D_GLIBCXX_USE_CXX11_ABI=1" + kMore};
    case BuiltFor::other_torch:
      return {ErrorKind::usage,
              start + "it is built against another PyTorch (" + needs_text(unmet, none_first) +
                  " of it, which this one has not); build it again against LibTorch " +
                  process.torch_version + ", " + compile_line(process, "g++ -fPIC", "ops.cpp", "") +
                  kMore};
    case BuiltFor::something_else:
      break;
  }
  return {ErrorKind::usage,
          start + needs_text(unmet, none_first) +
              (unmet.libraries.empty() ? ", which nothing here defines: link the library that "
                                         "does, or give it first with --library"
                                       : ", which the loader does not find: install it, or add its "
                                         "folder to LD_LIBRARY_PATH") +
              kMore};
}

/// The version of the C or C++ library that the loader misses: "GLIBCXX_3.4.32". "" when it misses
/// something else.
std::string missing_version(const std::string& words) {
  static constexpr std::string_view kVersion = "version `";
  const std::size_t start = words.find(kVersion);
  if (start == std::string::npos || words.find("not found") == std::string::npos) return "";
  const std::size_t first = start + kVersion.size();
  std::string name = words.substr(first, words.find('\'', first) - first);
  const bool system = name.rfind("GLIBC", 0) == 0 || name.rfind("CXXABI", 0) == 0;
  return system ? name : "";
}

/// The symbol that the loader names, which may be one that a library behind the first wants.
std::vector<std::string> symbol_in(const std::string& words) {
  static constexpr std::string_view kSymbol = "undefined symbol: ";
  const std::size_t start = words.find(kSymbol);
  if (start == std::string::npos) return {};
  const std::size_t first = start + kSymbol.size();
  return {words.substr(first, words.find_first_of(", \n", first) - first)};
}

Error refused(const std::string& start, const FailedLibrary& failed,
              const LoadingProcess& process) {
  if (const std::string problem = shape_problem(failed.file); !problem.empty())
    return {ErrorKind::usage, start + "it " + problem};
  if (const std::string version = missing_version(failed.words); !version.empty()) {
    return {ErrorKind::usage,
            start + "it is built on a newer system (it needs " + version +
                ", which the C or C++ library here has not); build it on this system, or on one as "
                "old" +
                kMore};
  }
  Unmet unmet = unmet_of(failed.file, process);
  const bool of_torch = failed.words.find(" of LibTorch does not load (") != std::string::npos;
  if (of_torch && built_for(unmet) != BuiltFor::python) {
    return {ErrorKind::device,
            start + "it is linked with LibTorch's GPU part, and " + failed.words +
                "; parity doctor says what to do, and a library for the CPU is linked with -lc10 "
                "-ltorch_cpu alone" +
                kMore};
  }
  if (unmet.libraries.empty() && unmet.symbols.empty()) unmet.symbols = symbol_in(failed.words);
  if (!unmet.libraries.empty() || !unmet.symbols.empty())
    return missing_names(start, unmet, process);
  return {ErrorKind::usage, start + failed.words};
}

Error threw(const std::string& start, const FailedLibrary& failed) {
  const std::string& words = failed.words;
  static constexpr std::string_view kNamespace =
      "Only a single TORCH_LIBRARY can be used to register the namespace ";
  static constexpr std::string_view kTwice = "Tried to register an operator (";
  const auto name_behind = [&](std::string_view text, const char* ends) {
    const std::size_t first = words.find(text) + text.size();
    return words.substr(first, words.find_first_of(ends, first) - first);
  };
  const std::string remedy =
      "; two libraries hold the same operators: give one of them, and each operator once";
  if (words.find(kNamespace) != std::string::npos) {
    return {ErrorKind::usage, start + "the operators of namespace " +
                                  name_behind(kNamespace, ";,. \n") + " are registered already" +
                                  remedy};
  }
  if (words.find(kTwice) != std::string::npos) {
    return {ErrorKind::usage, start + "the operator " + name_behind(kTwice, "(\n") +
                                  " is registered already" + remedy};
  }
  const std::vector<std::string> lines = lines_of(words);
  const auto line = std::find_if(lines.begin(), lines.end(),
                                 [](const std::string& text) { return !text.empty(); });
  return {ErrorKind::usage, start + "its initialisation throws: " +
                                (line == lines.end() ? "an exception without a text" : *line)};
}

}  // namespace

Error explained(const FailedLibrary& failed, const LoadingProcess& process) {
  const std::string start = "the operator library " + failed.file.string() + " does not load: ";
  using How = FailedLibrary::How;
  switch (failed.how) {
    case How::refused:
      return refused(start, failed, process);
    case How::threw:
      return threw(start, failed);
    case How::ended:
      if (const std::string damaged = torch_problem(process.system.file(process.torch_folder));
          !damaged.empty())
        return {ErrorKind::device, start + damaged};
      return {ErrorKind::usage, start + "its initialisation ends the process (" + failed.words +
                                    "); it must not call exit there"};
    case How::died:
      if (is_cut_off(failed.file))
        return {ErrorKind::usage, start + "it " + shape_problem(failed.file)};
      if (const std::string damaged = torch_problem(process.system.file(process.torch_folder));
          !damaged.empty())
        return {ErrorKind::device, start + damaged};
      return {ErrorKind::usage,
              start + "its initialisation kills the process (" + failed.words +
                  "); build it again for this processor (without -march=native of another one), or "
                  "see it with `gdb --args parity ...`"};
    case How::hung:
      break;
  }
  return {ErrorKind::usage, start + "its initialisation does not end within " + failed.words};
}

}  // namespace parity::host
