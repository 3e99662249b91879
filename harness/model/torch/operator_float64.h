// Private to model/: what one recorded call would have given had it been computed in float64 on the
// CPU from the inputs it was given. Compares nothing.
#pragma once

#include "model/operator_trace.h"
#include "model/torch/operator_recorder.h"

namespace parity::model {

/// Memory: the call's inputs and results in float64, on the host, twice for a moment.
[[nodiscard]] OwnValues in_float64(const RecordedCall& call);

}  // namespace parity::model
