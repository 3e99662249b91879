// What torch.save wrote, as a value that a model can be given.
// Runs nothing: the pickle was read by the restricted reader, and other objects are refused.
#pragma once

#include <string>

#include "model/weights/pickle_value.h"
#include "tensor/value.h"

namespace parity::model {

/// Tensors keep the file mapped when their bytes lie row-major and aligned in it; others are
/// copied. Throws Error(usage) naming the place of anything that is no tensor, scalar, list, tuple
/// or dict by str.
[[nodiscard]] tensor::Value value_of_pickle(const PickleObject& object, const std::string& label);

}  // namespace parity::model
