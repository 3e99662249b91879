// Private to model/: which operators of a graph are worth a tap. Looks at one node at a time.
// How taps are named and put into the graph is decided elsewhere.
#pragma once

#include <string>

#include <torch/csrc/jit/ir/ir.h>

namespace parity::model {

/// "aten.softmax" for a node of kind aten::softmax.
[[nodiscard]] std::string op_name(const torch::jit::Node& node);

/// An operator of a custom library: PyTorch itself does not define it.
[[nodiscard]] bool is_custom(const torch::jit::Node& node);

/// An operator of aten or of a custom library, not one of the interpreter's own.
[[nodiscard]] bool is_operator(const torch::jit::Node& node);

/// An operator with a tensor or a list of tensors among its results.
[[nodiscard]] bool yields_tensor(const torch::jit::Node& node);

/// Products, convolutions, attention, softmax, normalisation, recurrent cells, Fourier transforms:
/// operators that sum many terms, in an order that backends choose freely. Operators of custom
/// libraries count as heavy, too.
[[nodiscard]] bool is_heavy(const torch::jit::Node& node);

/// True when values of this type can hold a tensor.
[[nodiscard]] bool can_hold_tensor(const c10::TypePtr& type);

}  // namespace parity::model
