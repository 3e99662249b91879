// Private to model/: copies of a module that a run may change as it likes.
#pragma once

#include <cstdint>

#include <torch/csrc/jit/api/module.h>

namespace parity::model {

/// A copy of the module with its own buffers and attributes, however nested; parameters are shared,
/// since a forward pass that writes into them is the exception (see weight_version).
[[nodiscard]] torch::jit::Module copy_with_shared_weights(const torch::jit::Module& module);

/// Changes whenever something writes into a parameter in place.
[[nodiscard]] std::uint64_t weight_version(const torch::jit::Module& module);

}  // namespace parity::model
