#include "model/torchscript/instrument.h"

#include <algorithm>
#include <utility>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "model/torchscript/call_inlining.h"
#include "model/torchscript/dynamic_calls.h"
#include "model/torchscript/module_paths.h"
#include "model/torchscript/op_choice.h"

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;
namespace prim = c10::prim;

/// True when the graph hands `value` on as its result or as a part of it, unchanged.
bool is_returned(const Value* value) {
  for (const torch::jit::Use& use : value->uses()) {
    const Node* user = use.user;
    const c10::Symbol kind = user->kind();
    if (kind == prim::Return) {
      const Node* owner = user->owningBlock()->owningNode();
      if (owner == nullptr) return true;
      if (owner->kind() == prim::If && is_returned(owner->outputs()[use.offset])) return true;
    } else if (kind == prim::TupleConstruct || kind == prim::ListConstruct ||
               kind == prim::unchecked_cast) {
      if (is_returned(user->output())) return true;
    } else if (kind == prim::DictConstruct && is_returned(user->output())) {
      return true;
    }
  }
  return false;
}

bool all_returned(const Node& node) {
  const auto outputs = node.outputs();
  return std::all_of(outputs.begin(), outputs.end(), [](const Value* output) {
    return !can_hold_tensor(output->type()) || is_returned(output);
  });
}

/// Dropout whose training flag is written into the code, as tracing does.
bool is_random_dropout(const Node& node) {
  static const c10::Symbol kDropout = c10::Symbol::fromQualString("aten::dropout");
  if (node.kind() != kDropout || node.inputs().size() != 3) return false;
  const auto probability = torch::jit::constant_as<double>(node.input(1));
  return probability.value_or(1.0) > 0.0 &&
         torch::jit::constant_as<bool>(node.input(2)).value_or(false);
}

class Instrumenter {
 public:
  Instrumenter(const torch::jit::Module& module, Probing probing)
      : paths_(module), probing_(probing) {}

  void visit(Block* block, const Frame& frame) {
    // A snapshot: inlining and tapping change the list underway.
    const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
    for (Node* node : nodes) {
      for (Block* inner : node->blocks()) visit(inner, frame);
      if (node->kind() == prim::CallMethod) {
        visit_call(node, frame);
      } else if (node->kind() == prim::fork || node->kind() == prim::awaitable) {
        note(
            "what runs inside torch.jit.fork or an awaitable runs beside the model, so its layers "
            "are not tapped",
            frame);
      } else if (is_operator(*node)) {
        visit_operator(node, frame);
      } else if (node->kind() == prim::RaiseException && probing_ == Probing::marks) {
        insert_probe(kMarkOperator, {}, node, {run::TapKind::module, frame.path, ""});
      }
    }
  }

  [[nodiscard]] InstrumentedGraph result(std::shared_ptr<Graph> graph) && {
    return {std::move(graph), std::move(sites_), std::move(notes_)};
  }

 private:
  void visit_call(Node* call, const Frame& frame) {
    const std::string method = call->s(c10::attr::name);
    const std::optional<Frame> target = paths_.resolve(call->input(0), frame);
    Node* const behind = call->next();
    if (!target || !target->object) {
      visit_unknown_call(call, frame, method);
      return;
    }
    torch::jit::Function* function = target->object->type()->findMethod(method);
    torch::jit::GraphFunction* body =
        function == nullptr ? nullptr : torch::jit::tryToGraphFunction(*function);
    Value* result = call->output();
    if (body != nullptr) {
      const std::shared_ptr<Graph> callee = graph_without_function_calls(*body);
      visit(callee->block(), {callee->inputs().at(0), target->object, target->path});
      give_concrete_type(call, *target);
      result = torch::jit::inlineCallTo(call, body, callee.get()).at(0);
    }
    tap_call(result, behind, call_path(target->path, method), method);
  }

  /// An interface-typed module that is picked at run time: it is tapped as a whole.
  void visit_unknown_call(Node* call, const Frame& frame, const std::string& method) {
    if (is_indexed_call(*call)) return;
    const c10::TypePtr type = call->input(0)->type();
    const auto class_type = type->cast<c10::ClassType>();
    const bool module = type->cast<c10::InterfaceType>() || (class_type && class_type->is_module());
    if (!module) return;
    const std::string path = joined_path(frame.path, "<dynamic>");
    note("a submodule of this layer is picked at run time; it is tapped as '" + path +
             "' and the layers inside it are not tapped",
         frame);
    tap_call(call->output(), call->next(), call_path(path, method), method);
  }

  /// A call through an interface does not know the class; the inlined body reads attributes of the
  /// concrete one.
  static void give_concrete_type(Node* call, const Frame& target) {
    if (!call->input(0)->type()->cast<c10::InterfaceType>()) return;
    Graph* graph = call->owningGraph();
    const torch::jit::WithInsertPoint here(call);
    Node* cast = graph->insertNode(graph->create(prim::unchecked_cast, {call->input(0)}));
    cast->output()->setType(target.object->type());
    call->replaceInput(0, cast->output());
  }

  void tap_call(Value* result, Node* behind, const std::string& path, const std::string& method) {
    if (probing_ == Probing::marks || result->type()->kind() == c10::TypeKind::NoneType) return;
    if (!is_forward(method) && !can_hold_tensor(result->type())) return;
    insert_tap(result, behind, {run::TapKind::module, path, ""});
  }

  void visit_operator(Node* node, const Frame& frame) {
    if (is_random_dropout(*node)) {
      note(
          "was traced in training mode: its dropout is part of the code and stays random in eval "
          "mode",
          frame);
    }
    const Site site{run::TapKind::op, frame.path, op_name(*node)};
    if (probing_ == Probing::marks) {
      insert_probe(kMarkOperator, {}, node, site);
      return;
    }
    if (!yields_tensor(*node)) return;
    // What the call returns as it is has the call's own tap.
    if (probing_ == Probing::module_taps && (!is_heavy(*node) || all_returned(*node))) return;
    Node* const behind = node->next();
    Value* value = node->outputs().at(0);
    if (node->outputs().size() > 1) {
      Graph* graph = node->owningGraph();
      const torch::jit::WithInsertPoint here(behind);
      value = graph->insertNode(graph->createTuple(node->outputs()))->output();
    }
    insert_tap(value, behind, site);
  }

  void insert_tap(Value* value, Node* behind, Site site) {
    insert_probe(kTapOperator, {value}, behind, std::move(site));
  }

  void insert_probe(const char* op, std::vector<Value*> inputs, Node* before, Site site) {
    Graph* graph = before->owningGraph();
    const torch::jit::WithInsertPoint here(before);
    inputs.push_back(graph->insertConstant(static_cast<std::int64_t>(sites_.size())));
    graph->insertNode(graph->create(c10::Symbol::fromQualString(op), inputs, /*num_outputs=*/0));
    sites_.push_back(std::move(site));
  }

  void note(const std::string& text, const Frame& frame) {
    const std::string line =
        (frame.path.empty() ? "the model: " : "layer " + frame.path + ": ") + text;
    if (std::find(notes_.begin(), notes_.end(), line) == notes_.end()) notes_.push_back(line);
  }

  ModulePaths paths_;
  Probing probing_;
  std::vector<Site> sites_;
  std::vector<std::string> notes_;
};

}  // namespace

InstrumentedGraph instrument(const torch::jit::Module& module, const std::string& method,
                             Probing probing) {
  register_probe_operators();
  auto& body = torch::jit::toGraphFunction(module.get_method(method).function());
  std::shared_ptr<Graph> graph = graph_without_function_calls(body);
  Instrumenter instrumenter(module, probing);
  instrumenter.visit(graph->block(), {graph->inputs().at(0), module._ivalue(), ""});
  return std::move(instrumenter).result(std::move(graph));
}

}  // namespace parity::model
