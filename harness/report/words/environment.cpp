#include "report/words/environment.h"

#include <algorithm>

#include "run/numeric_switch.h"

namespace parity::report {

namespace {

bool is_switch(const run::Difference& difference) {
  return difference.key.rfind("switch.", 0) == 0;
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
  const bool is_device = difference.key == "device.type" || difference.key == "device.name";
  return is_device ? "what is compared" : "";
}

bool has_decisive_switch(const Report& report) {
  return std::any_of(
      report.environment_diff.begin(), report.environment_diff.end(),
      [&](const run::Difference& difference) { return changes_numbers(report, difference); });
}

std::vector<run::Difference> switches_first(const Report& report) {
  std::vector<run::Difference> differences = report.environment_diff;
  const auto rest = std::stable_partition(differences.begin(), differences.end(), is_switch);
  std::stable_partition(differences.begin(), rest, [&](const run::Difference& difference) {
    return changes_numbers(report, difference);
  });
  return differences;
}

}  // namespace parity::report
