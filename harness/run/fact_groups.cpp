#include "run/fact_groups.h"

#include <array>

namespace parity::run {
namespace {

constexpr std::array kGroups = {kLibraryFiles, kVariables, kProbes};

}  // namespace

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool is_compared(std::string_view key, const Provenance& one, const Provenance& other) {
  if (key.starts_with("run.") || key.starts_with("capture.")) return false;
  for (const FactGroup& group : kGroups) {
    const bool both = !one.get(group.summary).empty() && !other.get(group.summary).empty();
    if (key == group.summary) return !both;
    if (key.starts_with(group.prefix)) return both;
  }
  return true;
}

// Symmetric, too.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool same_host(const Provenance& reference, const Provenance& candidate) {
  std::size_t shared = 0;
  for (const auto& [key, value] : reference.facts()) {
    if (!key.starts_with("host.") && key != "device.driver") continue;
    const std::string_view other = candidate.get(key);
    if (other.empty()) continue;
    if (other != value) return false;
    ++shared;
  }
  return shared > 0;
}

}  // namespace parity::run
