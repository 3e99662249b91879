// What a recording is wrong by itself at each layer: the truth once more, forced to go on with the
// recorded values, so that it computes every layer from what the recording gave that layer.
#pragma once

#include <string>
#include <vector>

#include "capture/tap_filter.h"
#include "model/model.h"
#include "pipeline/compare/reference_taps.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

struct OwnErrors {
  std::vector<double> nrmse;  ///< one for each tap of the truth, see run::TruthRecord
  std::string unknown;        ///< why there are none; empty where there are
};

/// `model` is the truth's, `recorded` holds every tap in full. No figure where a tap could not be
/// forced: what comes behind it would count what was inherited as well, and explain too much.
[[nodiscard]] OwnErrors own_errors(model::Model& model, const tensor::Value& inputs,
                                   capture::TapFilter& filter, TapValues& recorded,
                                   const std::vector<run::TapRecord>& truth);

}  // namespace parity::pipeline
