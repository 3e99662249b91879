// Private to model/: one input value as the TorchScript type that an argument asks for.
// Converts no number: a value that does not fit the type is not made to.
#pragma once

#include <optional>

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "model/torchscript/arguments.h"
#include "tensor/value.h"

namespace parity::model {

/// Nullopt when the value cannot stand for that type. Tensors are copies: a model may write into
/// its inputs.
[[nodiscard]] std::optional<c10::IValue> typed_value(const tensor::Value& value,
                                                     const c10::TypePtr& type,
                                                     const ArgumentPlacement& placement);

}  // namespace parity::model
