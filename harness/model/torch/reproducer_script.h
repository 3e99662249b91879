// Private to model/: a short Python script that runs recorded calls of operators with PyTorch
// alone.
#pragma once

#include <string>

#include "model/torch/operator_slice.h"
#include "run/settings.h"

namespace parity::model {

/// Loads the inputs and the expected value from the files of ReproducerFiles beside it, calls every
/// operator by name with the numeric switches of `settings`, and prints how far the result is off.
[[nodiscard]] std::string reproducer_script(const OperatorSlice& slice, const std::string& title,
                                            const run::Settings& settings);

}  // namespace parity::model
