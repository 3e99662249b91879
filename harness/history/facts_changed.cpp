#include "history/facts_changed.h"

#include <algorithm>
#include <map>

namespace parity::history {
namespace {

void compare_facts(const run::Provenance& before, const run::Provenance& after,
                   const std::string& prefix, std::vector<FactChange>& changes) {
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const auto& [key, value] : environment_facts(before)) facts[key].first = value;
  for (const auto& [key, value] : environment_facts(after)) facts[key].second = value;
  for (const auto& [key, values] : facts) {
    if (values.first == values.second) continue;
    changes.push_back({prefix + key, values.first, values.second, key.rfind("switch.", 0) == 0});
  }
}

}  // namespace

std::vector<FactChange> facts_changed(const Run& before, const Run& after) {
  std::vector<FactChange> changes;
  compare_facts(before.candidate, after.candidate, "", changes);
  compare_facts(before.reference, after.reference, "reference ", changes);
  if (before.model != after.model) changes.push_back({"model", before.model, after.model, false});
  if (before.policy != after.policy)
    changes.push_back({"policy", before.policy, after.policy, false});
  std::stable_partition(changes.begin(), changes.end(),
                        [](const FactChange& change) { return change.changes_numbers; });
  return changes;
}

}  // namespace parity::history
