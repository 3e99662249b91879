// What a library that does not load was built for, told by the names that it wants and does not
// get. Knows prefixes of names, neither files nor what to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::host {

/// What nobody on this machine gives to a library.
struct Unmet {
  std::vector<std::string> libraries;  ///< file names: "libcudart.so.12"
  std::vector<std::string> symbols;    ///< mangled, as in its symbol table
};

enum class BuiltFor : std::uint8_t {
  cuda,
  hip,
  python,         ///< an extension module: it wants Python's own functions
  other_abi,      ///< another std::string than LibTorch's
  other_torch,    ///< functions that this LibTorch has not
  something_else  ///< none of these
};

/// The first that explains what is unmet, the GPU before all: without it, the rest is unmet as
/// well.
[[nodiscard]] BuiltFor built_for(const Unmet& unmet);

[[nodiscard]] bool is_of_cuda(const std::string& library_or_symbol);
[[nodiscard]] bool is_of_hip(const std::string& library_or_symbol);

/// As a person writes it: "c10::Error::what() const"; the name itself when it is not mangled.
[[nodiscard]] std::string demangled(const std::string& symbol);

}  // namespace parity::host
