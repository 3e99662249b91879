// Private to model/: whether an output is logits, told from names and shapes.
// No value of the output is looked at: another backend cannot change the answer.
#pragma once

#include "run/tap.h"
#include "tensor/shape.h"
#include "tensor/value.h"

namespace parity::model {

/// True for a port named "logits", and for an output of shape S + [V] where some integer input has
/// shape S and V is above every id in every such input.
[[nodiscard]] bool looks_like_logits(const run::TapId& output, const tensor::Shape& shape,
                                     const tensor::Value& inputs);

}  // namespace parity::model
