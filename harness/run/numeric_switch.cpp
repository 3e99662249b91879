#include "run/numeric_switch.h"

namespace parity::run {

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool changes_numbers(std::string_view key, const Provenance& one, const Provenance& other) {
  if (key == "switch.threads")
    return one.get("device.type") == "cpu" && other.get("device.type") == "cpu";
  return key.rfind("switch.", 0) == 0;
}

}  // namespace parity::run
