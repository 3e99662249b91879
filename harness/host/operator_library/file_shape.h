// Whether a file is a shared library for this machine at all, told from its first bytes.
#pragma once

#include <filesystem>
#include <string>

namespace parity::host {

/// What is wrong with the file as a shared library, as a predicate ("is a folder"); "" when it is
/// one for this machine.
[[nodiscard]] std::string shape_problem(const std::filesystem::path& file);

/// Whether an ELF file ends before what its own tables say is in it: the loader maps what is not
/// there, and whoever reads it dies of SIGBUS.
[[nodiscard]] bool is_cut_off(const std::filesystem::path& file);

/// "FOLDER/libtorch_cuda.so of LibTorch is cut off; install LibTorch again", of either vendor's
/// library; "" when none is cut off.
[[nodiscard]] std::string torch_problem(const std::filesystem::path& torch_folder);

}  // namespace parity::host
