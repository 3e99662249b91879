// Which variables that change numbers are set.
#include "host/doctor/checks.h"
#include "host/doctor/switch_table.h"

namespace parity::host {
namespace {

bool is_fine(const Switch& entry, const std::string& value) {
  return !value.empty() &&
         (" " + std::string(entry.fine)).find(" " + value + " ") != std::string::npos;
}

}  // namespace

void check_switches(const View& view, run::Diagnosis& diagnosis) {
  bool any = false;
  for (const Switch& entry : number_switches()) {
    const auto value = view.system.variable(std::string(entry.name));
    if (!value || value->empty()) continue;
    any = true;
    diagnosis.facts.set("switch." + std::string(entry.name), *value);
    run::Finding finding;
    finding.check = "switches";
    finding.level = is_fine(entry, *value) ? run::Level::ok : entry.level;
    finding.seen = std::string(entry.name) + "=" + *value;
    if (finding.level != run::Level::ok) {
      finding.why = "It " + std::string(entry.effect) + " [" + std::string(entry.source) + "].";
      if (finding.level == run::Level::warning)
        finding.fix = {
            {"take it away, or set it on both hosts", "unset " + std::string(entry.name)}};
    }
    diagnosis.findings.push_back(std::move(finding));
  }
  if (!any) {
    diagnosis.findings.push_back({"switches",
                                  run::Level::ok,
                                  "none of " + std::to_string(number_switches().size()) +
                                      " variables that change numbers is set",
                                  "",
                                  {}});
  }
}

}  // namespace parity::host
