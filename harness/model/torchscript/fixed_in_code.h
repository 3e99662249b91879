// Private to model/: dtypes and devices that a model's code names, as tracing writes them there. A
// run in another dtype or on another device fails on them; this says where they are.
#pragma once

#include <string>

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

namespace parity::model {

/// "a dtype is fixed in op aten.to of layer fc (float32), op aten.ones of the model (float64) and 2
/// more": floating dtypes other than `wanted` that operators are told to use. "" when there is
/// none.
[[nodiscard]] std::string fixed_dtypes(const torch::jit::Module& module, at::ScalarType wanted);

/// "a device is fixed in op aten.cuda of layer fc": calls of .cuda() and .cpu(), and devices made
/// from a text, which no one can replace.
[[nodiscard]] std::string fixed_devices(const torch::jit::Module& module);

}  // namespace parity::model
