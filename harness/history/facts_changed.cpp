#include "history/facts_changed.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "run/fact_groups.h"
#include "run/numeric_switch.h"

namespace parity::history {
namespace {

void compare_facts(const run::Provenance& before, const run::Provenance& after,
                   const std::string& prefix, std::vector<FactChange>& changes) {
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const auto& [key, value] : environment_facts(before)) facts[key].first = value;
  for (const auto& [key, value] : environment_facts(after)) facts[key].second = value;
  for (const auto& [key, values] : facts) {
    if (values.first == values.second || !run::is_compared(key, before, after)) continue;
    changes.push_back(
        {prefix + key, values.first, values.second, run::changes_numbers(key, before, after), ""});
  }
}

/// What a name stands for, of which older nights say nothing.
void compare_contents(const Contents& before, const Contents& after,
                      std::vector<FactChange>& changes) {
  struct Item {
    const char* key;
    std::string Contents::*member;
    bool changes_numbers;
    const char* sentence;
  };
  static constexpr std::array<Item, 5> kItems = {{
      {"golden", &Contents::golden, true, "the golden changed"},
      {"golden inputs", &Contents::inputs, true, "the inputs changed"},
      {"weights", &Contents::candidate_weights, true, "the model's weights changed"},
      {"reference weights", &Contents::reference_weights, true, "the golden's weights changed"},
      {"policy bounds", &Contents::policy, false, "the policy's bounds changed"},
  }};
  for (const Item& item : kItems) {
    const std::string& from = before.*item.member;
    const std::string& to = after.*item.member;
    if (from.empty() || to.empty() || from == to) continue;
    changes.push_back({item.key, from, to, item.changes_numbers, item.sentence});
  }
}

}  // namespace

std::vector<FactChange> facts_changed(const Run& before, const Run& after) {
  std::vector<FactChange> changes;
  compare_facts(before.candidate, after.candidate, "", changes);
  compare_facts(before.reference, after.reference, "reference ", changes);
  if (before.model != after.model)
    changes.push_back({"model", before.model, after.model, false, ""});
  if (before.policy != after.policy)
    changes.push_back({"policy", before.policy, after.policy, false, ""});
  std::stable_partition(changes.begin(), changes.end(),
                        [](const FactChange& change) { return change.changes_numbers; });
  std::vector<FactChange> contents;
  compare_contents(before.contents, after.contents, contents);
  changes.insert(changes.begin(), contents.begin(), contents.end());
  return changes;
}

}  // namespace parity::history
