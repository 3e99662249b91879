// Private to model/: graphs in which only calls of submodules are left.
// Changes a copy: the model's own graph stays as it was.
#pragma once

#include <memory>

#include <torch/csrc/jit/api/function_impl.h>

namespace parity::model {

/// A copy of the function's graph with calls of functions, of methods of plain classes and of the
/// module's own other methods replaced by their bodies: what they do belongs to the module that
/// calls them.
[[nodiscard]] std::shared_ptr<torch::jit::Graph> graph_without_function_calls(
    torch::jit::GraphFunction& function);

}  // namespace parity::model
