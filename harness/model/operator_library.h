// Libraries of custom operators: loaded into this process once they have shown that they load. Says
// what happened in the loader's words; what those mean is not known here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "run/settings.h"

namespace parity::model {

/// A library that is not in the process, and why.
struct LibraryFailure {
  enum class How : std::uint8_t { refused, threw, died, ended, hung };
  std::filesystem::path file;
  How how = How::refused;
  std::string words;  ///< of the loader or the exception; the signal, exit code or time limit
  std::string gpu_library_problem = {};  ///< as gpu_library_problem(), where the trial came to it
};

/// How long a library may take to load.
inline constexpr std::chrono::seconds kLoadLimit{120};

/// Loads the libraries in this order, so that one may need the symbols of those before it, and
/// LibTorch's own libraries that they are linked with. Each is tried in a process of its own first:
/// what its initialisers throw or die of would leave this one unusable, and one that does not end
/// within `limit` is killed there. Stops at the first that fails; nullopt when all are loaded.
/// Loaded ones cost nothing the second time.
[[nodiscard]] std::optional<LibraryFailure> load_operator_libraries(
    const std::vector<std::filesystem::path>& libraries, const run::Settings& settings,
    std::chrono::milliseconds limit = kLoadLimit);

/// Whether anything that is loaded defines the symbol (mangled, as in a symbol table).
[[nodiscard]] bool is_symbol_loaded(const std::string& symbol);

/// Whether an operator library is in this process: its code runs at the process's end, too.
[[nodiscard]] bool holds_foreign_code();

[[nodiscard]] bool is_library_loaded(const std::filesystem::path& library);

/// Why LibTorch's GPU library is not loaded, as part of a sentence; "" when it is, or was not
/// tried.
[[nodiscard]] const std::string& gpu_library_problem();

}  // namespace parity::model
