// From places inside stored rows back to places in the whole tap, which is what a person looks for.
// Changes no figure.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/facts.h"
#include "tensor/shape.h"

namespace parity::pipeline {

/// `facts` came from comparing the rows `rows` of a tap of shape `full` as a [rows, width] tensor:
/// rewrites every multi-index to the tap's own dimensions. Ranges along the stored rows are
/// dropped, since rows between two stored ones were not seen; ranges along the last dimension stay.
void to_tap_coordinates(compare::TensorComparison& facts, const std::vector<std::int64_t>& rows,
                        const tensor::Shape& full);

}  // namespace parity::pipeline
