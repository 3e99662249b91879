// Which taps share a rule: peers of different layers, and groups whose errors are about as large.
// Chooses no limit.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gate/rule_book.h"
#include "run/tap.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// A tap with its worst figures over all cases and runs.
struct MeasuredTap {
  run::TapId tap;
  tensor::DType dtype = tensor::DType::float32;
  double nrmse = 0;
  double max_error_over_rms = 0;
};

/// The glob that a tap shares with its peers: every number is a `*` ("model.layers.*.mlp"). Of
/// operators over the full name, of other taps over the layer path, of an output over its name.
/// Empty for the root module, whose path no glob names.
[[nodiscard]] std::string peer_glob(const run::TapId& tap);

/// Selectors for all `taps` but the root module's, in the order of their first tap: peers share
/// one, and so do groups of one dtype and kind whose worst figures are within a factor of two.
/// While there are more than `most`, those that are closest are joined.
[[nodiscard]] std::vector<Selector> selectors_for(const std::vector<MeasuredTap>& taps,
                                                  std::size_t most);

}  // namespace parity::gate
