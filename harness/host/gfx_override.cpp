#include "host/gfx_override.h"

#include <string_view>
#include <utility>

namespace parity::host {
namespace {

constexpr std::string_view kForAll = "HSA_OVERRIDE_GFX_VERSION";

bool is_override(const std::string& name) {
  if (name.rfind(kForAll, 0) != 0) return false;
  if (name.size() == kForAll.size()) return true;
  return name[kForAll.size()] == '_' && name.size() > kForAll.size() + 1 &&
         name.find_first_not_of("0123456789", kForAll.size() + 1) == std::string::npos;
}

}  // namespace

std::vector<GfxOverride> gfx_overrides(const System& system) {
  std::vector<GfxOverride> found;
  for (const auto& [name, value] : system.environment()) {
    if (is_override(name)) found.push_back({name, value});
  }
  return found;  // in the order of their names, of which the shortest is the first
}

std::optional<GfxOverride> gfx_override_of(const System& system, int runtime_node) {
  const std::string for_all(kForAll);
  for (const std::string& name : {for_all + "_" + std::to_string(runtime_node), for_all}) {
    if (auto value = system.variable(name)) return GfxOverride{name, std::move(*value)};
  }
  return std::nullopt;
}

}  // namespace parity::host
