// Does looking change the result? The plain run's outputs, and where a tapped run's differ from
// them.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "pipeline/record/golden_sink.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Digests of the outputs of a run without taps.
[[nodiscard]] OutputDigests plain_outputs(model::Model& model, const tensor::Value& inputs);

/// One sentence per output that differs in any bit or that only one of the two runs has.
[[nodiscard]] std::vector<std::string> changed_by_taps(const OutputDigests& plain,
                                                       const OutputDigests& tapped);

}  // namespace parity::pipeline
