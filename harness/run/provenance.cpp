// Facts by key and what differs between two sets of them. A linear search does: there are a few
// dozen.
#include "run/provenance.h"

#include <algorithm>
#include <array>

#include "run/fact_groups.h"

namespace parity::run {

void Provenance::set(std::string_view key, std::string value) {
  const auto found = std::find_if(facts_.begin(), facts_.end(),
                                  [&](const auto& fact) { return fact.first == key; });
  if (found != facts_.end()) {
    found->second = std::move(value);
  } else {
    facts_.emplace_back(std::string(key), std::move(value));
  }
}

std::string_view Provenance::get(std::string_view key) const {
  const auto found = std::find_if(facts_.begin(), facts_.end(),
                                  [&](const auto& fact) { return fact.first == key; });
  return found == facts_.end() ? std::string_view{} : std::string_view(found->second);
}

void Provenance::merge(const Provenance& other) {
  for (const auto& [key, value] : other.facts_) set(key, value);
}

// The role types live in compare/, which this folder does not know; the order is theirs.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::vector<Difference> differences(const Provenance& reference, const Provenance& candidate) {
  std::vector<Difference> result;
  const auto add = [&](const std::string& key) {
    if (!is_compared(key, reference, candidate)) return;
    const std::string_view left = reference.get(key);
    const std::string_view right = candidate.get(key);
    const bool listed = std::any_of(result.begin(), result.end(),
                                    [&](const Difference& d) { return d.key == key; });
    if (left != right && !listed) result.push_back({key, std::string(left), std::string(right)});
  };
  for (const auto& fact : reference.facts()) add(fact.first);
  for (const auto& fact : candidate.facts()) add(fact.first);
  return result;
}

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool same_device(const Provenance& reference, const Provenance& candidate) {
  static constexpr std::array<std::string_view, 3> kKeys = {"device.vendor", "device.name",
                                                            "device.arch"};
  if (reference.get("device.name").empty()) return false;  // two unknown ones need not be the same
  return std::all_of(kKeys.begin(), kKeys.end(), [&](std::string_view key) {
    return reference.get(key) == candidate.get(key);
  });
}

}  // namespace parity::run
