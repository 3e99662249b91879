// What a recording is wrong by itself at each layer: the truth once more, forced to go on with the
// recorded values, so that it computes every layer from what the recording gave that layer.
#pragma once

#include <cstddef>
#include <vector>

#include "capture/tap_filter.h"
#include "model/model.h"
#include "pipeline/reference_taps.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// `model` is the truth's, `recorded` holds every tap in full. One figure for each of `truth`, see
/// run::TruthRecord::introduced_nrmse.
[[nodiscard]] std::vector<double> own_errors(model::Model& model, const tensor::Value& inputs,
                                             capture::TapFilter& filter, TapValues& recorded,
                                             const std::vector<run::TapRecord>& truth);

}  // namespace parity::pipeline
