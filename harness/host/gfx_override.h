// The variables by which a person makes ROCm take a GPU for another one: one for all GPUs, and one
// for each. Knows their names and which of them counts, not what their values mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/system.h"

namespace parity::host {

struct GfxOverride {
  std::string name;   ///< "HSA_OVERRIDE_GFX_VERSION" or "HSA_OVERRIDE_GFX_VERSION_1"
  std::string value;  ///< may be empty, which the runtime refuses
};

/// Those that are set, the one for all GPUs first.
[[nodiscard]] std::vector<GfxOverride> gfx_overrides(const System& system);

/// The one that counts for a GPU; nullopt when none does. `runtime_node` is the runtime's own
/// number of it (View's KfdGpu), which counts processors, too. Source: libhsakmt/src/topology.c of
/// ROCR-Runtime, where a node's own variable stands above the one for all.
[[nodiscard]] std::optional<GfxOverride> gfx_override_of(const System& system, int runtime_node);

}  // namespace parity::host
