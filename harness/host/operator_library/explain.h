// Why an operator library does not load, and what to do: the loader names one symbol and stops, the
// file has them all. Reads files; loads nothing and knows nothing of models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "error/error.h"
#include "host/doctor/view.h"
#include "host/system.h"

namespace parity::host {

/// A try to load an operator library that failed.
struct FailedLibrary {
  enum class How : std::uint8_t {
    refused,  ///< by the loader
    threw,    ///< from its static initialisers
    died,     ///< of the signal `words` in a process of its own
    ended,    ///< that process, with the exit code `words`, from its static initialisers
    hung,     ///< there
  };
  std::filesystem::path file;
  How how = How::refused;
  std::string words;  ///< the loader's, or the exception's
};

/// The process that it was to be loaded into.
struct LoadingProcess {
  const System& system;
  std::filesystem::path torch_folder;
  TorchBuild torch = TorchBuild::missing;
  std::string torch_version;
  std::string device_problem;  ///< why LibTorch's own GPU library is not loaded; "" when it is
  std::function<bool(const std::string& symbol)> is_defined;  ///< by anything loaded
  std::function<bool(const std::filesystem::path& library)> is_loaded;
};

/// One sentence with the cause and the remedy; Error(device) where the library is right and the
/// GPU's own libraries are what does not load, Error(usage) otherwise.
[[nodiscard]] Error explained(const FailedLibrary& failed, const LoadingProcess& process);

}  // namespace parity::host
