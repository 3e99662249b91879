#include "model/torchscript/dynamic_calls.h"

#include <algorithm>
#include <string>
#include <vector>

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;
namespace aten = c10::aten;
namespace prim = c10::prim;

std::vector<Node*> nodes_below(Block* block) {
  std::vector<Node*> nodes;
  for (Node* node : block->nodes()) {
    nodes.push_back(node);
    for (Block* inner : node->blocks()) {
      const std::vector<Node*> more = nodes_below(inner);
      nodes.insert(nodes.end(), more.begin(), more.end());
    }
  }
  return nodes;
}

/// Builds the branches of one call, the first child outermost.
class Branches {
 public:
  explicit Branches(Node* call)
      : graph_(*call->owningGraph()),
        call_(call),
        container_(call->input(0)->node()->input(0)),
        key_(call->input(0)->node()->input(1)) {
    const auto type = container_->type()->expect<c10::ClassType>();
    for (std::size_t i = 0; i < type->numAttributes(); ++i) {
      const auto child = type->getAttribute(i)->cast<c10::ClassType>();
      if (child && child->is_module()) names_.push_back(type->getAttributeName(i));
    }
  }

  void replace_call() {
    const torch::jit::WithInsertPoint here(call_);
    call_->output()->replaceAllUsesWith(branch(0));
    call_->destroy();
  }

 private:
  Value* branch(std::size_t child) {
    if (child == names_.size()) {
      return graph_.insertNode(graph_.createClone(call_, [](Value* value) { return value; }))
          ->output();
    }
    Node* fork = graph_.insertNode(graph_.create(prim::If, {is_key_of(child)}, /*num_outputs=*/1));
    fork->output()->setType(call_->output()->type());
    Block* yes = fork->addBlock();
    Block* no = fork->addBlock();
    {
      const torch::jit::WithInsertPoint inside(yes);
      yes->registerOutput(call_of(child));
    }
    const torch::jit::WithInsertPoint inside(no);
    no->registerOutput(branch(child + 1));
    return fork->output();
  }

  Value* is_key_of(std::size_t child) {
    if (key_->type()->kind() == c10::TypeKind::StringType) {
      return graph_.insert(aten::eq, {key_, graph_.insertConstant(names_[child])});
    }
    return graph_.insert(aten::eq, {key_, graph_.insertConstant(static_cast<std::int64_t>(child))});
  }

  Value* call_of(std::size_t child) {
    std::vector<Value*> inputs = call_->inputs().vec();
    inputs.at(0) = graph_.insertGetAttr(container_, names_[child]);
    Node* call = graph_.create(prim::CallMethod, inputs, /*num_outputs=*/1);
    call->copyAttributes(*call_)->setSourceRange(call_->sourceRange());
    call->output()->setType(call_->output()->type());
    return graph_.insertNode(call)->output();
  }

  Graph& graph_;
  Node* call_;
  Value* container_;
  Value* key_;
  std::vector<std::string> names_;
};

bool is_only_waited_for(const Value* future) {
  const auto& uses = future->uses();
  return std::all_of(uses.begin(), uses.end(),
                     [](const torch::jit::Use& use) { return use.user->kind() == aten::wait; });
}

void run_on_the_spot(Node* fork) {
  const torch::jit::WithInsertPoint here(fork);
  Value* result =
      torch::jit::insertGraph(*fork->owningGraph(), *fork->g(c10::attr::Subgraph), fork->inputs())
          .at(0);
  const std::vector<torch::jit::Use> uses = fork->output()->uses();
  for (const torch::jit::Use& use : uses) {
    use.user->output()->replaceAllUsesWith(result);
    use.user->destroy();
  }
  fork->destroy();
}

}  // namespace

bool is_indexed_call(const Node& call) {
  return call.kind() == prim::CallMethod &&
         call.input(0)->node()->kind() == prim::ModuleContainerIndex;
}

void expand_indexed_calls(Graph& graph) {
  for (Node* node : nodes_below(graph.block())) {
    if (is_indexed_call(*node)) Branches(node).replace_call();
  }
}

void run_forks_on_the_spot(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Node* node : nodes_below(graph.block())) {
      if (node->kind() != prim::fork || !is_only_waited_for(node->output())) continue;
      run_on_the_spot(node);
      changed = true;
      break;  // the list of nodes is out of date
    }
  }
}

}  // namespace parity::model
