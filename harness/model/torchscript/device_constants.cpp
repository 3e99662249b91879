#include "model/torchscript/device_constants.h"

#include <string>
#include <unordered_set>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::Node;
namespace prim = c10::prim;

class Mover {
 public:
  explicit Mover(const c10::Device& device) : device_(device.str()) {}

  void visit(torch::jit::Function& function) {
    torch::jit::GraphFunction* body = torch::jit::tryToGraphFunction(function);
    if (body != nullptr && seen_.insert(body).second) visit(body->graph()->block());
  }

  [[nodiscard]] std::size_t moved() const { return moved_; }

 private:
  void visit(Block* block) {
    for (Node* node : block->nodes()) {
      for (Block* inner : node->blocks()) visit(inner);
      if (node->kind() == prim::Constant) visit_constant(node);
      if (node->kind() == prim::CallMethod) visit_method(*node);
    }
  }

  void visit_constant(Node* node) {
    const c10::TypePtr type = node->output()->type();
    if (const auto function = type->cast<c10::FunctionType>()) {
      visit(*function->function());
    } else if (type->kind() == c10::TypeKind::DeviceObjType &&
               node->hasAttribute(c10::attr::value) && node->s(c10::attr::value) != device_) {
      node->s_(c10::attr::value, device_);
      ++moved_;
    }
  }

  /// Methods of modules are visited with their module; this is for plain classes.
  void visit_method(const Node& node) {
    const auto type = node.input(0)->type()->cast<c10::ClassType>();
    torch::jit::Function* method = type ? type->findMethod(node.s(c10::attr::name)) : nullptr;
    if (method != nullptr) visit(*method);
  }

  std::string device_;
  std::unordered_set<const torch::jit::Function*> seen_;
  std::size_t moved_ = 0;
};

}  // namespace

std::size_t move_device_constants(const torch::jit::Module& module, const c10::Device& device) {
  Mover mover(device);
  for (const torch::jit::Module& each : module.modules()) {
    for (torch::jit::Function* method : each.type()->methods()) mover.visit(*method);
  }
  return mover.moved();
}

}  // namespace parity::model
