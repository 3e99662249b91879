// Names of AMD's GPU architectures as the driver, the compiler and users write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parity::run {

/// AMD's name of the amdgpu driver's gfx_target_version: 90402 is gfx942, 90010 is gfx90a. "" for
/// 0, a CPU node.
[[nodiscard]] std::string gfx_name(std::uint64_t gfx_target_version);

/// The name that HSA_OVERRIDE_GFX_VERSION's value means: "10.3.0" is gfx1030; "" for anything else
/// than three numbers.
[[nodiscard]] std::string gfx_of_override(std::string_view value);

/// Whether code objects for `target` (a name, perhaps with features behind a colon, or one of
/// LLVM's generic targets such as "gfx11-generic") run on a GPU of architecture `gfx`.
/// Source: "Generic processors" of LLVM's AMDGPU usage page.
[[nodiscard]] bool runs_on(std::string_view target, std::string_view gfx);

}  // namespace parity::run
