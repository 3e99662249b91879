// Private to model/: calls whose target is known at run time only, rewritten so that it is known
// when tapping.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace parity::model {

/// `self.layers[i].forward(x)` becomes one branch per child of the container, each with a call of
/// that child.
void expand_indexed_calls(torch::jit::Graph& graph);

/// True for what is left of such a call behind the last branch: it runs only to raise the error of
/// a wrong index.
[[nodiscard]] bool is_indexed_call(const torch::jit::Node& call);

/// `torch.jit.fork(...)` whose futures are only waited for runs on the spot instead, which gives
/// the same values in a fixed order; other forks stay.
void run_forks_on_the_spot(torch::jit::Graph& graph);

}  // namespace parity::model
