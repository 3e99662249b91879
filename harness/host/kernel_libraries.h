// Which libraries compute a model's numbers in this process, by content: the same version number
// can be built in two ways, and a path says nothing.
#pragma once

#include <string>
#include <string_view>

#include "host/system.h"
#include "run/provenance.h"

namespace parity::host {

/// "libcublas" for "libcublas.so.13.1.0"; "libgomp" for "libgomp-a34b3233.so.1", as wheels rename
/// what they bring.
[[nodiscard]] std::string library_stem(std::string_view file_name);

/// Whether a library of this stem is known to compute numbers, or to make the code that does.
[[nodiscard]] bool computes_numbers(std::string_view stem);

/// Facts "library.file.STEM" of those that the process has mapped (/proc/self/maps), and of
/// libraries of custom operators, which ask the loader for LibTorch's; "library.file.NAME_kernels"
/// of the folders of kernel files that they load from; "library.files": how many there are. `arch`
/// is the GPU's, "gfx942"; kernel files of others do not count.
[[nodiscard]] run::Provenance kernel_library_facts(const System& system, const std::string& arch);

}  // namespace parity::host
