#include "host/doctor/doctor.h"

#include <algorithm>
#include <map>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

/// A check's findings stand together, in the order in which checks first found something: trials of
/// devices, the last to run, also speak of libraries and switches.
void group_by_check(std::vector<run::Finding>& findings) {
  std::map<std::string, std::size_t> order;
  for (const run::Finding& finding : findings) order.emplace(finding.check, order.size());
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const run::Finding& one, const run::Finding& other) {
                     return order[one.check] < order[other.check];
                   });
}

}  // namespace

const std::vector<Check>& checks() {
  static const std::vector<Check> kChecks = {
      check_machine,  check_amd_devices, check_nvidia_devices, check_rocm,
      check_cuda,     check_libtorch,    check_gpu_code,       check_visible_devices,
      check_switches, check_storage,     check_by_running};
  return kChecks;
}

run::Diagnosis diagnose(const System& system, const Subject& subject) {
  const View view = view_of(system, subject);
  run::Diagnosis diagnosis;
  for (const Check check : checks()) check(view, diagnosis);
  group_by_check(diagnosis.findings);
  return diagnosis;
}

}  // namespace parity::host
