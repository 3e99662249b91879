#include "report/words/environment.h"

#include <algorithm>
#include <utility>

#include "run/fact_groups.h"
#include "run/numeric_switch.h"
#include "run/probe.h"

namespace parity::report {
namespace {

/// A probe that both sides have answered.
bool is_probe(const run::Difference& difference) {
  return difference.key.starts_with(run::kProbes.prefix) &&
         difference.key != run::kProbes.summary && run::is_answer(difference.reference) &&
         run::is_answer(difference.candidate);
}

/// Behind another vendor's device stand other libraries, and a row for each would bury the rest.
std::vector<run::Difference> with_one_sided_files_joined(
    const std::vector<run::Difference>& differences) {
  std::vector<run::Difference> result;
  run::Difference joined{std::string(run::kLibraryFiles.prefix) + "*", "", ""};
  std::size_t count = 0;
  for (const run::Difference& difference : differences) {
    const bool one_sided = difference.reference.empty() || difference.candidate.empty();
    if (!one_sided || !difference.key.starts_with(run::kLibraryFiles.prefix)) {
      result.push_back(difference);
      continue;
    }
    std::string& names = difference.candidate.empty() ? joined.reference : joined.candidate;
    names += (names.empty() ? "" : " ") + difference.key.substr(run::kLibraryFiles.prefix.size());
    ++count;
  }
  if (count > 0) result.push_back(joined);
  return result;
}

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string same_device_text(const run::Provenance& one, const run::Provenance& other) {
  return std::string(run::same_host(one, other) ? "same device on both sides, and the same host,"
                                                : "same device on both sides,") +
         " says nothing about another vendor";
}

int rank_of(const Report& report, const run::Difference& difference) {
  if (changes_numbers(report, difference)) return 0;
  if (run::is_numeric_switch(difference.key)) return 1;
  if (is_probe(difference)) return 2;
  return difference.key.starts_with("device.") ? 3 : 4;
}

}  // namespace

std::string device_text(const Side& side) {
  const std::string_view name = side.provenance.get("device.name");
  std::string text(name.empty() ? "unknown device" : name);
  std::string more;
  for (const char* key : {"device.vendor", "device.arch"}) {
    const std::string_view value = side.provenance.get(key);
    if (!value.empty() && value != name) more.append(more.empty() ? "" : ", ").append(value);
  }
  if (!more.empty()) text += " (" + more + ")";
  return text;
}

bool changes_numbers(const Report& report, const run::Difference& difference) {
  return run::changes_numbers(difference.key, report.reference.provenance,
                              report.candidate.provenance);
}

bool changes_numbers(const Blessing& blessing, const run::Difference& difference) {
  return run::changes_numbers(difference.key, blessing.before.provenance,
                              blessing.after.provenance);
}

std::string_view mark_of(const Report& report, const run::Difference& difference) {
  if (changes_numbers(report, difference)) return "changes numbers";
  if (is_probe(difference)) return "other arithmetic";
  const bool is_device = difference.key == "device.type" || difference.key == "device.name";
  return is_device ? "what is compared" : "";
}

bool has_decisive_switch(const Report& report) {
  return std::any_of(
      report.environment_diff.begin(), report.environment_diff.end(),
      [&](const run::Difference& difference) { return changes_numbers(report, difference); });
}

run::Difference as_shown(run::Difference difference) {
  const bool one_sided = difference.reference.empty() || difference.candidate.empty();
  if (difference.key != run::kVariables.summary || !one_sided) return difference;
  const bool on_reference = !difference.reference.empty();
  if ((on_reference ? difference.reference : difference.candidate) == run::kNoVariables)
    return difference;
  (on_reference ? difference.candidate : difference.reference) = "(unknown)";
  return difference;
}

std::vector<run::Difference> switches_first(const Report& report) {
  std::vector<run::Difference> differences = with_one_sided_files_joined(report.environment_diff);
  for (run::Difference& difference : differences) difference = as_shown(std::move(difference));
  std::stable_sort(differences.begin(), differences.end(),
                   [&](const run::Difference& one, const run::Difference& other) {
                     return rank_of(report, one) < rank_of(report, other);
                   });
  return differences;
}

std::string self_comparison_text(const Report& report) {
  if (report.devices != Devices::same) return {};
  return same_device_text(report.reference.provenance, report.candidate.provenance);
}

std::string self_comparison_text(const history::Run& night) {
  if (night.state != history::State::judged) return {};
  if (!run::same_device(night.reference, night.candidate)) return {};
  return same_device_text(night.reference, night.candidate);
}

}  // namespace parity::report
