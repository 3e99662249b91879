// `parity doctor`: machine in, findings out. Devices and the planned recording are tried in
// processes of their own, which this program starts from itself.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "model/model.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/case_inputs.h"
#include "run/finding.h"
#include "run/probe.h"
#include "run/settings.h"
#include "run/trial_lines.h"

namespace parity::pipeline {

struct DoctorRequest {
  std::string device = "auto";          ///< what must work
  std::filesystem::path out;            ///< folder for goldens; empty: the present one
  std::chrono::seconds time_limit{60};  ///< of each process
  run::Probing probing = run::Probing::off;
  /// Arguments by which this program, started again, runs `estimate`; empty for no estimate.
  std::vector<std::string> estimate_arguments;
};

[[nodiscard]] run::Diagnosis doctor(const DoctorRequest& request);

/// What the processes run: `what` is "torch", "count" or a device, which may be probed after its
/// trial. Throws Error as a run would.
void doctor_inside(const std::string& what, run::Probing probing, const run::Say& say);

/// Runs the model once on every input and says how many bytes its taps have.
void estimate_recording(const model::Source& source, const run::Settings& settings,
                        const std::vector<CaseInput>& cases, const TapChoice& taps,
                        const run::Say& say);

}  // namespace parity::pipeline
