// Runs of a golden's cases on this host, each with one setting changed: what a calibration
// measures. Judges nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/calibration.h"
#include "golden_store/golden_reader.h"
#include "pipeline/calibrate/calibrate.h"
#include "pipeline/record/progress.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// Takes one run as it is done.
using TakeRun =
    std::function<void(gate::Variation, const std::string& label, const report::Report&)>;

/// Makes the runs that were asked for. Returns a sentence for each that this device, the model or
/// the inputs do not allow; the first run, with nothing changed, must succeed.
[[nodiscard]] std::vector<std::string> make_varied_runs(const CalibrateRequest& request,
                                                        const golden_store::GoldenReader& golden,
                                                        Progress& progress, const TakeRun& take);

}  // namespace parity::pipeline
