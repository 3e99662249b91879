// For programs that are not linked with LibTorch: opens the library that is, beside the program.
// Knows the loader's words only to pass them on.
#include <filesystem>
#include <string>
#include <system_error>

#include <dlfcn.h>

#include "error/error.h"
#include "error/last_words.h"
#include "model/torch_entries.h"

namespace parity::model {
namespace {

namespace fs = std::filesystem;

/// Links to the program are followed.
fs::path beside_program() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (problem) {
    throw Error(ErrorKind::resource, "/proc is not mounted: parity cannot find " +
                                         std::string(kTorchLibrary) + ", which lies beside it");
  }
  return program.parent_path() / kTorchLibrary;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw Error(ErrorKind::resource, file.string() +
                                       ", the part of parity that needs LibTorch, does not load (" +
                                       reason + "); parity doctor looks for the cause")
      .with_detail(reason);
}

const TorchEntries* open_library() {
  const fs::path file = beside_program();
  const LastWords last_words("loading LibTorch");
  // Global: operator libraries, LibTorch's own for GPUs and what asks the GPU's runtime look up the
  // symbols of LibTorch, as if the program were linked with it.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "parity_torch_entries");
  if (symbol == nullptr) {
    const char* reason = dlerror();
    refuse(file, reason == nullptr ? "the loader gives no reason" : reason);
  }
  const TorchEntries* entries = reinterpret_cast<decltype(&parity_torch_entries)>(symbol)();
  if (std::string(entries->version) != PARITY_VERSION) {
    refuse(file, std::string(kTorchLibrary) + " is of parity " + entries->version +
                     ", the program of " + PARITY_VERSION);
  }
  return entries;
}

}  // namespace

const TorchEntries& torch_entries() {
  static const TorchEntries* const entries = open_library();  // tried again where it threw
  return *entries;
}

}  // namespace parity::model
