// Variables by which a job is given some of the GPUs, or none by mistake.
#include <array>
#include <string_view>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

struct Variable {
  const char* name;
  Vendor vendor;
  const char* reads_it;
};

/// GPU_DEVICE_ORDINAL is not among them: OpenCL alone reads it.
constexpr std::array<Variable, 5> kVariables = {{
    {"ROCR_VISIBLE_DEVICES", Vendor::amd, "ROCm's runtime"},
    {"HIP_VISIBLE_DEVICES", Vendor::amd, "HIP, and so a ROCm build of LibTorch"},
    {"CUDA_VISIBLE_DEVICES", Vendor::amd, "HIP, which takes CUDA's own variable, too"},
    {"CUDA_VISIBLE_DEVICES", Vendor::nvidia, "CUDA"},
    {"NVIDIA_VISIBLE_DEVICES", Vendor::nvidia, "the NVIDIA container toolkit, at start"},
}};

bool is(const Variable& variable, std::string_view name) { return variable.name == name; }

/// Whether anybody obeys it. HIP takes an empty list for none, and CUDA's variable where its own
/// is empty. Source: rocclr/device/rocm/rocdevice.cpp of AMD's CLR.
bool counts(const View& view, const Variable& variable, const std::string& value) {
  if (!view.has(variable.vendor)) return false;
  if (variable.vendor == Vendor::nvidia || is(variable, "ROCR_VISIBLE_DEVICES")) return true;
  const bool replaced = is(variable, "CUDA_VISIBLE_DEVICES") &&
                        !view.system.variable("HIP_VISIBLE_DEVICES").value_or("").empty();
  return !value.empty() && !replaced;
}

/// A list is read up to its first entry that names no device, so these hide everything. ROCm's
/// runtime and CUDA show nothing for an empty one.
bool hides_all(const Variable& variable, const std::string& value) {
  if (is(variable, "NVIDIA_VISIBLE_DEVICES")) return value == "none" || value == "void";
  return value.empty() || value.front() == '-' || value == "NoDevFiles" || value == "none";
}

}  // namespace

void check_visible_devices(const View& view, run::Diagnosis& diagnosis) {
  for (const Variable& variable : kVariables) {
    const auto value = view.system.variable(variable.name);
    if (!value || !counts(view, variable, *value)) continue;
    diagnosis.facts.set(std::string("switch.") + variable.name, *value);
    run::Finding finding;
    finding.check = "devices.visible";
    finding.seen = std::string(variable.name) + "='" + *value + "'";
    if (hides_all(variable, *value)) {
      // An unset list of the toolkit's says nothing where it is not what gave the devices.
      finding.level = is(variable, "NVIDIA_VISIBLE_DEVICES") ? run::Level::note
                                                             : view.severity(variable.vendor);
      finding.why =
          std::string("It hides every GPU from this process (read by ") + variable.reads_it + ").";
      finding.fix = {{"give the GPUs back", std::string("unset ") + variable.name}};
    } else if (*value == "all") {
      continue;
    } else {
      finding.level = run::Level::note;
      finding.why = std::string("Only these GPUs are visible, counted from 0 again (read by ") +
                    variable.reads_it + ").";
    }
    diagnosis.findings.push_back(std::move(finding));
  }
}

}  // namespace parity::host
