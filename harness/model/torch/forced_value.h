// Private to model/: puts a given value in the place of a tensor that the running model has just
// made. Knows neither taps nor goldens.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "tensor/host_tensor.h"

namespace parity::model {

/// Writes `value` into the tensor's own memory, cast to its dtype, on its device: strides stay, and
/// whatever else looks at that memory (a residual branch, an alias that a layer returned, a buffer)
/// sees the new value, too, as it saw the old one. Elements that share memory, as those of an
/// expanded dimension or of overlapping windows, must be equal in `value`.
/// Returns why it cannot be done, empty when it was: another shape, or no strides.
[[nodiscard]] std::string overwrite(const at::Tensor& tensor, const tensor::TensorView& value);

}  // namespace parity::model
