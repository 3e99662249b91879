// Were two recordings made from the same inputs? Bit by bit and name by name; what a difference
// means is for the caller to say.
#pragma once

#include "tensor/value.h"

namespace parity::pipeline {

/// True when structure, keys, scalars and every bit of every tensor agree.
[[nodiscard]] bool same_inputs(const tensor::Value& one, const tensor::Value& other);

}  // namespace parity::pipeline
