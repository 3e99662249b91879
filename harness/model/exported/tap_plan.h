// Private to model/: which values of a flat graph become taps, and behind which step each is
// complete: what leaves the calls of a module, and operators whose results no module hands on.
// Knows names of modules and operators alone.
#pragma once

#include <map>
#include <string>

#include "model/exported/flat_graph.h"
#include "run/settings.h"

namespace parity::model {

/// Fills in the taps of `graph` and of the graphs inside it. `signatures`: what modules return,
/// where the file says so; elsewhere it is the values that are computed in a module's call and used
/// outside it alone, or the last that leaves it.
void plan_taps(FlatGraph& graph, const std::map<std::string, ModuleSignature>& signatures,
               run::TapDepth depth);

/// "aten.linear" of torch.ops.aten.linear.default; "" for a target that is no operator.
[[nodiscard]] std::string dotted_operator(const std::string& target);

}  // namespace parity::model
