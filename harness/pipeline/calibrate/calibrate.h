// `parity calibrate`: runs that are all right against a reference, and a policy from how far apart
// they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gate/calibration.h"
#include "model/model.h"
#include "pipeline/record/progress.h"
#include "report/data/calibration.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Runs that are made on this host: one as the settings say, and one for every variation of them.
struct VariedRuns {
  model::Source source;
  run::Settings settings;
  std::set<gate::Variation> vary;  ///< of threads, sdpa, batch and repeat
  std::vector<int> threads;        ///< counts to run with
  std::int64_t repeats = 3;        ///< further runs of every case, at least 1
  std::int64_t rows = 4;           ///< see SelfcheckRequest
};

struct CalibrateRequest {
  std::vector<std::filesystem::path> goldens;  ///< at least one; the first is the reference
  std::optional<VariedRuns> model;
  std::optional<std::filesystem::path> truth;  ///< as in a comparison
  gate::CalibrationChoice choice;
  std::string command;  ///< that makes the policy again
};

struct CalibratedPolicy {
  std::string text;  ///< of the policy file
  report::Calibration summary;
};

/// Throws Error(incompatible) when a golden was made from other weights or inputs, in another
/// dtype, or has no tap in common with the first; Error(usage) when there is nothing to calibrate
/// from.
[[nodiscard]] CalibratedPolicy calibrate(const CalibrateRequest& request, Progress& progress);

}  // namespace parity::pipeline
