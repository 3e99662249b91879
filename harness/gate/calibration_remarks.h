// What a calibrated policy says of itself beside each rule and number: how many runs, which
// variation was the largest, at which tap and case. Only words what it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/calibration.h"
#include "gate/policy_text.h"

namespace parity::gate {

/// What every calibrated policy starts with: a file that does is replaced by the next one.
inline constexpr std::string_view kCalibratedPolicy = "Calibrated by parity";

/// `command`: that makes the policy again. `notes`: further lines for the head. Names come as they
/// are in the goldens.
[[nodiscard]] PolicyRemarks remarks_on(const Calibration& calibration,
                                       const CalibrationInput& input, const std::string& command,
                                       const std::vector<std::string>& notes);

}  // namespace parity::gate
