// Private to model/: from the inputs of a case to the arguments that a method's schema asks for.
// Knows types and names, nothing of what the method does.
#pragma once

#include <string>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "model/torch/cast.h"
#include "tensor/value.h"

namespace parity::model {

/// Where tensors go and what they are cast to.
struct ArgumentPlacement {
  c10::Device device;
  Cast cast;
};

/// One value per argument of `schema` behind self, defaults filled in. A tuple or list gives
/// positional arguments (or, where those do not fit, the only argument), a dict keyword arguments,
/// anything else the only argument. Numbers and nested values take the argument's type: a 0-dim
/// tensor serves as int or float, a list as tuple. Throws Error(usage) with the expected signature
/// and what was given.
[[nodiscard]] torch::jit::Stack method_arguments(const c10::FunctionSchema& schema,
                                                 const tensor::Value& inputs,
                                                 const ArgumentPlacement& placement);

/// "forward(Tensor x, int sr=16000)", self left out.
[[nodiscard]] std::string signature_text(const c10::FunctionSchema& schema);

/// "float32 1x512", "int", "list of 3", "{input_ids: int64 1x8}".
[[nodiscard]] std::string value_text(const tensor::Value& value);

}  // namespace parity::model
