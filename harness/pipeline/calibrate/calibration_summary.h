// A calibration in the form in which it is shown, names as text and numbers beside their origin.
// Decides nothing and writes no file.
#pragma once

#include "gate/calibration.h"
#include "report/data/calibration.h"

namespace parity::pipeline {

/// Rules, runs and places; what the goldens were is left out.
[[nodiscard]] report::Calibration summary_of(const gate::Calibration& calibration,
                                             const gate::CalibrationInput& input);

}  // namespace parity::pipeline
