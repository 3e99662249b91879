#include "pipeline/bless/golden_changes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gate/attribution.h"
#include "pipeline/compare/case_lookup.h"
#include "pipeline/compare/same_inputs.h"
#include "pipeline/compare/tap_places.h"
#include "report/words/numbers.h"

namespace parity::pipeline {
namespace {

/// Changes of one kind under one name, in the order in which they were first seen.
template <typename Change>
class Grouped {
 public:
  /// The group of `what` and `name`, new where there is none.
  Change& of(const std::string& what, const std::string& name, const Change& first) {
    const auto [entry, is_new] = places_.emplace(std::pair(what, name), changes_.size());
    if (is_new) changes_.push_back(first);
    return changes_[entry->second];
  }
  [[nodiscard]] std::vector<Change> take() { return std::move(changes_); }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Change> changes_;
};

std::string stored_text(const run::TapRecord& tap) {
  return tap.mode == run::StoreMode::rows ? report::plural(tap.rows.size(), "row")
                                          : std::string(run::name(tap.mode));
}

class TapChanges {
 public:
  void add(const std::string& what, const std::string& case_name, const run::TapId& tap,
           const std::string& before, const std::string& after) {
    const std::string layers = gate::peer_name(tap);
    // Only what changed in the same way is one change.
    const std::string way = what == "reshaped" ? what : what + ": " + before + " -> " + after;
    report::TapChange& group =
        groups_.of(way, layers, {what, layers, 0, {case_name, tap}, before, after});
    ++group.taps;
  }
  void add_case(const run::CaseRecord& before, const run::CaseRecord& after);
  [[nodiscard]] std::vector<report::TapChange> take() { return groups_.take(); }

 private:
  void add_both(const std::string& name, const run::TapRecord& before, const run::TapRecord& after);
  void add_order(const run::CaseRecord& before, const run::CaseRecord& after);

  Grouped<report::TapChange> groups_;
};

void TapChanges::add_both(const std::string& name, const run::TapRecord& before,
                          const run::TapRecord& after) {
  if (before.shape != after.shape)
    add("reshaped", name, before.id, tensor::to_string(before.shape),
        tensor::to_string(after.shape));
  if (before.dtype != after.dtype)
    add("dtype", name, before.id, std::string(tensor::name(before.dtype)),
        std::string(tensor::name(after.dtype)));
  if (before.mode != after.mode || before.rows.size() != after.rows.size())
    add("stored", name, before.id, stored_text(before), stored_text(after));
}

/// Taps that both have, each where its place among these is another one.
void TapChanges::add_order(const run::CaseRecord& before, const run::CaseRecord& after) {
  const TapPlaces old_places = places_of(before.taps);
  const TapPlaces new_places = places_of(after.taps);
  std::vector<const run::TapId*> old_order;
  std::vector<const run::TapId*> new_order;
  for (const run::TapRecord& tap : before.taps)
    if (new_places.count(tap.id) != 0) old_order.push_back(&tap.id);
  for (const run::TapRecord& tap : after.taps)
    if (old_places.count(tap.id) != 0) new_order.push_back(&tap.id);
  for (std::size_t i = 0; i < std::min(old_order.size(), new_order.size()); ++i)
    if (*old_order[i] != *new_order[i]) add("order", before.name, *old_order[i], "", "");
}

void TapChanges::add_case(const run::CaseRecord& before, const run::CaseRecord& after) {
  const TapPlaces old_places = places_of(before.taps);
  const TapPlaces new_places = places_of(after.taps);
  for (const run::TapRecord& tap : before.taps) {
    const auto found = new_places.find(tap.id);
    if (found == new_places.end()) {
      add("removed", before.name, tap.id, "", "");
    } else {
      add_both(before.name, tap, after.taps[found->second]);
    }
  }
  for (const run::TapRecord& tap : after.taps)
    if (old_places.count(tap.id) == 0) add("added", before.name, tap.id, "", "");
  add_order(before, after);
}

std::string truth_text(const run::CaseRecord& record) {
  return record.truth ? std::string(tensor::name(record.truth->dtype)) : std::string{};
}

std::string noise_text(const run::CaseRecord& record) {
  if (!record.noise) return {};
  return report::plural(static_cast<std::uint64_t>(record.noise->repeats), "repeat");
}

}  // namespace

std::vector<report::WeightChange> weight_changes(const run::ModelDescription& before,
                                                 const run::ModelDescription& after) {
  std::map<std::string, const run::WeightDigest*> old_weights;
  std::map<std::string, const run::WeightDigest*> new_weights;
  for (const run::WeightDigest& weight : before.weights) old_weights.emplace(weight.name, &weight);
  for (const run::WeightDigest& weight : after.weights) new_weights.emplace(weight.name, &weight);
  Grouped<report::WeightChange> groups;
  const auto add = [&](const std::string& what, const std::string& name) {
    const std::string names = gate::peer_text(name);
    ++groups.of(what, names, {what, names, 0, name}).count;
  };
  for (const auto& [name, weight] : old_weights) {
    const auto found = new_weights.find(name);
    if (found == new_weights.end()) {
      add("removed", name);
    } else if (!(*found->second == *weight)) {
      add("changed", name);
    }
  }
  for (const auto& [name, weight] : new_weights)
    if (old_weights.count(name) == 0) add("added", name);
  return groups.take();
}

std::vector<report::CaseChange> case_changes(const golden_store::GoldenReader& before,
                                             const golden_store::GoldenReader& after) {
  std::vector<report::CaseChange> changes;
  for (std::size_t i = 0; i < before.cases().size(); ++i) {
    const run::CaseRecord& one = before.cases()[i];
    const std::optional<std::size_t> place = find_case(after, one.name);
    if (!place) {
      changes.push_back({"removed", one.name, "", ""});
      continue;
    }
    const run::CaseRecord& other = after.cases()[*place];
    if (!same_inputs(before.read_inputs(i), after.read_inputs(*place)))
      changes.push_back({"inputs", one.name, "", ""});
    if (truth_text(one) != truth_text(other))
      changes.push_back({"truth", one.name, truth_text(one), truth_text(other)});
    if (noise_text(one) != noise_text(other))
      changes.push_back({"noise", one.name, noise_text(one), noise_text(other)});
  }
  for (const run::CaseRecord& one : after.cases())
    if (!find_case(before, one.name)) changes.push_back({"added", one.name, "", ""});
  return changes;
}

std::vector<report::TapChange> tap_changes(const golden_store::GoldenReader& before,
                                           const golden_store::GoldenReader& after) {
  TapChanges changes;
  for (const run::CaseRecord& one : before.cases()) {
    if (const std::optional<std::size_t> place = find_case(after, one.name))
      changes.add_case(one, after.cases()[*place]);
  }
  return changes.take();
}

}  // namespace parity::pipeline
