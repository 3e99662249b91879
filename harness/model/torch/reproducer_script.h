// Private to model/: a short Python script that runs recorded calls of operators with PyTorch
// alone.
#pragma once

#include <string>

#include "model/operator_trace.h"
#include "model/torch/operator_slice.h"

namespace parity::model {

/// Loads the files of ReproducerFiles from its own folder, calls every operator by name with the
/// numeric switches and the seed, prints how far the result is off, and exits with 1 when that is
/// more than is explained, else with 0.
[[nodiscard]] std::string reproducer_script(const OperatorSlice& slice, const Reproducer& what);

}  // namespace parity::model
