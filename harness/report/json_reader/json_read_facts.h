// The facts of one comparison of two tensors out of the report's JSON. Private to the folder.
// Refuses counts that do not fit the shape, before anything is judged by them.
#pragma once

#include "compare/facts.h"
#include "report/json_reader/json_node.h"

namespace parity::report {

/// From the keys of `node`, a tap or what it introduces, of dtypes and shape that are known
/// already. Whatever only one of the two has is left as it is.
[[nodiscard]] compare::TensorComparison read_facts(const JsonNode& node, tensor::DType reference,
                                                   tensor::DType candidate,
                                                   const tensor::Shape& shape);

/// Bit patterns and both values of the elements with the largest distance.
[[nodiscard]] std::vector<compare::Element> read_worst(const JsonNode& node);

}  // namespace parity::report
