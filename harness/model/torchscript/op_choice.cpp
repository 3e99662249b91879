#include "model/torchscript/op_choice.h"

#include <algorithm>

#include "model/torch/heavy_operators.h"

namespace parity::model {

using torch::jit::Node;

bool is_custom(const Node& node) { return is_custom_operator(op_name(node)); }

std::string op_name(const Node& node) {
  return std::string(node.kind().ns().toUnqualString()) + "." + node.kind().toUnqualString();
}

bool is_operator(const Node& node) { return node.kind().is_aten() || is_custom(node); }

bool yields_tensor(const Node& node) {
  const auto outputs = node.outputs();
  return std::any_of(outputs.begin(), outputs.end(), [](const torch::jit::Value* output) {
    return can_hold_tensor(output->type());
  });
}

bool is_heavy(const Node& node) { return is_heavy_operator(op_name(node)); }

bool can_hold_tensor(const c10::TypePtr& type) {
  if (type->isSubtypeOf(*c10::TensorType::get()) || type->kind() == c10::TypeKind::AnyType)
    return true;
  const auto contained = type->containedTypes();
  return std::any_of(contained.begin(), contained.end(), can_hold_tensor);
}

}  // namespace parity::model
