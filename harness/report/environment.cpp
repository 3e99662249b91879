#include "report/environment.h"

#include <algorithm>
#include <string_view>

namespace parity::report {

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

bool is_switch(const run::Difference& difference) {
  return difference.key.rfind("switch.", 0) == 0;
}

bool has_decisive_switch(const Report& report) {
  const bool on_cpus = report.reference.provenance.get("device.type") == "cpu" &&
                       report.candidate.provenance.get("device.type") == "cpu";
  return std::any_of(report.environment_diff.begin(), report.environment_diff.end(),
                     [&](const run::Difference& difference) {
                       return is_switch(difference) &&
                              (on_cpus || difference.key != "switch.threads");
                     });
}

std::vector<run::Difference> switches_first(const Report& report) {
  std::vector<run::Difference> differences = report.environment_diff;
  std::stable_partition(differences.begin(), differences.end(), is_switch);
  return differences;
}

}  // namespace parity::report
