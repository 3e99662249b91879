// Private to model/: the dtype that floating weights and inputs get, and what they lose on the way.
// Knows no layer: every floating tensor of a run is treated alike.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "model/torch/bridge.h"
#include "run/settings.h"

namespace parity::model {

/// Floating tensors are rounded to `rounded_to` first and have `dtype` in the end; nullopt leaves
/// them as they are. Other tensors are never changed.
struct Cast {
  std::optional<at::ScalarType> rounded_to;
  std::optional<at::ScalarType> dtype;

  [[nodiscard]] at::Tensor operator()(const at::Tensor& tensor) const {
    if (!at::isFloatingType(tensor.scalar_type()) || tensor.is_quantized()) return tensor;
    const at::Tensor rounded = rounded_to ? tensor.to(*rounded_to) : tensor;
    return dtype ? rounded.to(*dtype) : rounded;
  }
};

[[nodiscard]] inline Cast cast_of(const run::Settings& settings) {
  Cast cast;
  if (settings.rounded_to) cast.rounded_to = scalar_type_of(*settings.rounded_to);
  if (settings.dtype) cast.dtype = scalar_type_of(*settings.dtype);
  return cast;
}

}  // namespace parity::model
