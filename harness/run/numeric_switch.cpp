#include "run/numeric_switch.h"

#include <algorithm>
#include <string>

#include "run/fact_groups.h"

namespace parity::run {
namespace {

/// The number of a CPU's threads, which a GPU's numbers do not depend on.
bool counts_threads(std::string_view key) {
  return key == "switch.threads" || key == "variable.OMP_NUM_THREADS" ||
         key == "variable.MKL_NUM_THREADS";
}

/// Of any key but the variables' summary.
// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool one_changes_numbers(std::string_view key, const Provenance& one, const Provenance& other) {
  if (counts_threads(key))
    return one.get("device.type") == "cpu" && other.get("device.type") == "cpu";
  return is_numeric_switch(key);
}

/// What the summary says where one side alone recorded its variables: on the other one, any of
/// those that it names may be missing. Symmetric, too.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool summary_changes_numbers(const Provenance& one, const Provenance& other) {
  std::string_view names = one.get(kVariables.summary);
  const std::string_view others = other.get(kVariables.summary);
  if (!names.empty() && !others.empty()) return false;  // each variable is compared by itself
  if (names.empty()) names = others;
  while (!names.empty() && names != kNoVariables) {
    const std::string_view name = names.substr(0, names.find(' '));
    if (one_changes_numbers(std::string(kVariables.prefix).append(name), one, other)) return true;
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return false;
}

}  // namespace

bool is_numeric_switch(std::string_view key) {
  return key.starts_with("switch.") ||
         (key.starts_with(kVariables.prefix) && key != kVariables.summary);
}

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool changes_numbers(std::string_view key, const Provenance& one, const Provenance& other) {
  return key == kVariables.summary ? summary_changes_numbers(one, other)
                                   : one_changes_numbers(key, one, other);
}

}  // namespace parity::run
