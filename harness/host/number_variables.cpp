#include "host/number_variables.h"

#include "host/doctor/switch_table.h"
#include "host/file_mark.h"
#include "host/gfx_override.h"
#include "run/fact_groups.h"
#include "run/numeric_switch.h"

namespace parity::host {
namespace {

bool is_obeyed(Obeyed obeyed, Platform platform) {
  switch (obeyed) {
    case Obeyed::on_cpu:
      return platform == Platform::cpu;
    case Obeyed::on_cuda:
      return platform == Platform::cuda;
    case Obeyed::on_hip:
      return platform == Platform::hip;
    case Obeyed::on_gpu:
      return platform != Platform::cpu;
  }
  return false;
}

/// A file of choices decides by what is in it.
std::string with_content(const System& system, const std::string& value) {
  const std::filesystem::path file = system.file(value);
  std::error_code problem;
  if (value.find('/') == std::string::npos && value.find('.') == std::string::npos) return value;
  if (!std::filesystem::is_regular_file(file, problem)) return value;
  return value + " (" + file_mark(file) + ")";
}

}  // namespace

run::Provenance number_variable_facts(const System& system, Platform platform) {
  run::Provenance facts;
  std::string names;
  facts.set(run::kVariables.summary, std::string(run::kNoVariables));
  const auto add = [&](const std::string& name) {
    const auto value = system.variable(name);
    if (!value || value->empty()) return;
    names += (names.empty() ? "" : " ") + name;
    facts.set(std::string(run::kVariables.prefix) + name, with_content(system, *value));
  };
  for (const Switch& entry : number_switches()) {
    // In force or not, it is a fact of the run already: "switch.cublas_workspace".
    if (entry.name == "CUBLAS_WORKSPACE_CONFIG") continue;
    if (is_obeyed(entry.obeyed, platform)) add(std::string(entry.name));
  }
  // The doctor has a check of its own for these.
  if (platform == Platform::hip) {
    for (const GfxOverride& claim : gfx_overrides(system)) add(claim.name);
  }
  if (!names.empty()) facts.set(run::kVariables.summary, names);
  return facts;
}

Platform platform_of(const run::Provenance& run) {
  if (run.get("device.type") != "cuda") return Platform::cpu;
  return run.get("device.vendor") == "AMD" ? Platform::hip : Platform::cuda;
}

}  // namespace parity::host
