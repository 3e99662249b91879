#include "model/torchscript/call_inlining.h"

#include <vector>

#include "model/torchscript/dynamic_calls.h"

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::GraphFunction;
using torch::jit::Node;
using torch::jit::Value;
namespace prim = c10::prim;

/// The function that `node` calls; null for methods of submodules, built-in functions and nodes
/// that are no call.
GraphFunction* called_function(const Node& node, const Value* self) {
  torch::jit::Function* function = nullptr;
  if (node.kind() == prim::CallFunction) {
    function = node.input(0)->type()->expect<c10::FunctionType>()->function();
  } else if (node.kind() == prim::CallMethod) {
    const auto type = node.input(0)->type()->cast<c10::ClassType>();
    const bool own = type && (!type->is_module() || node.input(0) == self);
    if (own) function = type->findMethod(node.s(c10::attr::name));
  }
  return function == nullptr ? nullptr : torch::jit::tryToGraphFunction(*function);
}

void inline_functions(Block* block, const Value* self) {
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* node : nodes) {
    for (Block* inner : node->blocks()) inline_functions(inner, self);
    GraphFunction* function = called_function(*node, self);
    if (function == nullptr) continue;
    const auto callee = graph_without_function_calls(*function);
    if (node->kind() == prim::CallFunction) node->removeInput(0);
    torch::jit::inlineCallTo(node, function, callee.get());
  }
}

}  // namespace

std::shared_ptr<torch::jit::Graph> graph_without_function_calls(GraphFunction& function) {
  std::shared_ptr<torch::jit::Graph> graph = function.graph()->copy();
  run_forks_on_the_spot(*graph);
  expand_indexed_calls(*graph);
  inline_functions(graph->block(), graph->inputs().empty() ? nullptr : graph->inputs().at(0));
  return graph;
}

}  // namespace parity::model
