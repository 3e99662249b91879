#include "model/torchscript/fresh_state.h"

#include <ATen/ATen.h>

namespace parity::model {

torch::jit::Module copy_with_shared_weights(const torch::jit::Module& module) {
  c10::IValue::HashIdentityIValueMap known;
  for (const at::Tensor& parameter : module.parameters()) {
    const c10::IValue shared(parameter);
    known.emplace(shared, shared);
  }
  return torch::jit::Module(c10::IValue(module._ivalue()).deepcopy(known).toObject());
}

std::uint64_t weight_version(const torch::jit::Module& module) {
  std::uint64_t version = 0;
  for (const at::Tensor& parameter : module.parameters()) {
    version += static_cast<std::uint64_t>(parameter._version());
  }
  return version;
}

}  // namespace parity::model
