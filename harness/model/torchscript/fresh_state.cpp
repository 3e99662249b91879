#include "model/torchscript/fresh_state.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include "model/torchscript/op_choice.h"

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::Node;

template <typename Visit>
void each_node(const Block& block, const Visit& visit) {
  for (const Node* node : block.nodes()) {
    visit(*node);
    for (const Block* inner : node->blocks()) each_node(*inner, visit);
  }
}

/// Every function and method that came with the module, whoever calls it.
template <typename Visit>
void each_node_of(const torch::jit::Module& module, const Visit& visit) {
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    torch::jit::GraphFunction* body = torch::jit::tryToGraphFunction(*function);
    if (body == nullptr) continue;
    body->ensure_defined();
    each_node(*body->graph()->block(), visit);
  }
}

bool writes_unseen(const Node& node) {
  static const c10::Symbol kData = c10::Symbol::fromQualString("prim::data");
  return node.kind() == kData || is_custom(node);
}

void add_constant(const Node& node, std::vector<at::Tensor>& tensors) {
  if (node.kind() != c10::prim::Constant || !can_hold_tensor(node.output()->type())) return;
  const std::optional<c10::IValue> value = torch::jit::toIValue(node.output());
  if (!value) return;
  c10::IValue::HashAliasedIValues held;
  value->getSubValues(held);
  for (const c10::IValue& each : held) {
    if (each.isTensor() && each.toTensor().defined()) tensors.push_back(each.toTensor());
  }
}

}  // namespace

torch::jit::Module copy_with_shared_weights(const torch::jit::Module& module) {
  c10::IValue::HashIdentityIValueMap known;
  for (const at::Tensor& parameter : module.parameters()) {
    const c10::IValue shared(parameter);
    known.emplace(shared, shared);
  }
  return torch::jit::Module(c10::IValue(module._ivalue()).deepcopy(known).toObject());
}

Shared::Shared(const torch::jit::Module& module) {
  for (const at::Tensor& parameter : module.parameters()) tensors_.push_back(parameter);
  each_node_of(module, [&](const Node& node) {
    add_constant(node, tensors_);
    may_change_unseen_ = may_change_unseen_ || writes_unseen(node);
  });
}

std::uint64_t Shared::version() const {
  std::uint64_t sum = 0;
  for (const at::Tensor& tensor : tensors_) sum += static_cast<std::uint64_t>(tensor._version());
  return sum;
}

}  // namespace parity::model
