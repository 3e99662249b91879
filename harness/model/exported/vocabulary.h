// Private to model/: how many token ids a program knows, from the tables that it looks its inputs
// up in. Free of torch.
#pragma once

#include "model/exported/flat_graph.h"

namespace parity::model {

/// Rows of the smallest table that the first input to index one is given to; 0 when none is.
[[nodiscard]] std::int64_t vocabulary_of(const Program& program, const FlatGraph& graph);

}  // namespace parity::model
