// Private to model/: which inputs of a graph a run may write into, through whatever view, so that
// they can be given as copies. Errs on the side of writing.
#pragma once

#include <set>

#include "model/exported/flat_graph.h"

namespace parity::model {

/// Indices of the graph's inputs. What is tapped counts as written: a forced replay writes there.
[[nodiscard]] std::set<std::size_t> written_inputs(const FlatGraph& graph);

}  // namespace parity::model
