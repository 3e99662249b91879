// What a person must be told of values that no tap could capture: a recording without the model's
// own output is no test of the model.
#pragma once

#include <string>
#include <vector>

#include "run/recording.h"

namespace parity::pipeline {

/// One remark for all values of a case that were not captured, the model's outputs first, at most
/// three by name; empty when there are none.
[[nodiscard]] std::string uncaptured_remark(const std::vector<run::SkippedTap>& skipped);

/// Why the case holds no output of the model at all; empty when it holds one.
[[nodiscard]] std::string lacks_output(const run::CaseRecord& record);

}  // namespace parity::pipeline
