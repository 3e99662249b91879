// Private to model/: whether the operators of a program take what it gives them and give what it
// takes, before anything runs. Knows schemas, nothing of values.
#pragma once

#include <string>

#include "model/exported/flat_graph.h"

namespace parity::model {

/// The first call that does not fit its operator, with the operator, its layer and what is wrong:
/// an argument that the operator does not have, one that it needs and is not given, one of another
/// kind, another number of results, or an operator that reaches outside the program. Empty when
/// all fit. Operators that nobody has registered are not this function's.
[[nodiscard]] std::string misfit_of(const FlatGraph& graph);

}  // namespace parity::model
