// Private to model/: devices that tracing wrote into a model's code.
// A trace made on one device names it in every tensor it creates, and fails on any other.
#pragma once

#include <cstddef>

#include <torch/csrc/jit/api/module.h>

namespace parity::model {

/// Replaces every device constant in the code of all methods below `module` by `device`, in place.
/// Call before any method has run. Returns how many were another device.
[[nodiscard]] std::size_t move_device_constants(const torch::jit::Module& module,
                                                const c10::Device& device);

}  // namespace parity::model
