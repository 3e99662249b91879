#include "model/exported/flat_graph.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "error/error.h"

namespace parity::model {
namespace {

/// Higher-order operators that run one graph once, and how many arguments behind the graph are not
/// the graph's own.
struct Wrapper {
  std::string_view name;
  std::size_t own_arguments;
};
constexpr Wrapper kWrappers[] = {{"wrap_with_set_grad_enabled", 0},
                                 {"wrap_with_autocast", 0},
                                 {"wrap", 0},
                                 {"invoke_subgraph", 1},  // its identifier
                                 {"tag_activation_checkpoint", 0}};

const Wrapper* wrapper_of(const ProgramNode& node) {
  const std::string name = higher_order_name(node.target);
  const auto* found = std::find_if(std::begin(kWrappers), std::end(kWrappers),
                                   [&](const Wrapper& each) { return each.name == name; });
  return found == std::end(kWrappers) ? nullptr : found;
}

/// Names of values as they are known in one graph: a value of the flat graph, or a constant.
using Scope = std::map<std::string, ProgramArgument>;

class Flattening {
 public:
  explicit Flattening(std::string label) : label_(std::move(label)) {}

  std::shared_ptr<FlatGraph> whole(const ProgramGraph& graph) {
    Scope scope;
    for (const ProgramArgument& input : graph.inputs) {
      ProgramArgument own = input;
      if (auto* value = std::get_if<GraphValue>(&own.data)) define(*value, scope);
      flat_->inputs.push_back(std::move(own));
    }
    add_nodes(graph, scope);
    for (const ProgramArgument& output : graph.outputs)
      flat_->outputs.push_back(resolved(output, scope));
    for (const auto& [name, argument] : scope) {
      if (const auto* value = std::get_if<GraphValue>(&argument.data))
        flat_->slot_of.emplace(name, value->slot);
    }
    return flat_;
  }

 private:
  void define(GraphValue& value, Scope& scope) {
    value.slot = flat_->slots++;
    if (scope.insert_or_assign(value.name, ProgramArgument{value}).second || value.name.empty())
      return;
    throw Error(ErrorKind::model, label_ + " is damaged (two calls of its graph give `" +
                                      value.name + "`); export the model again");
  }

  void define(ProgramArgument& argument, Scope& scope) {
    if (auto* value = std::get_if<GraphValue>(&argument.data)) define(*value, scope);
    if (auto* list = std::get_if<ArgumentList>(&argument.data)) {
      for (ProgramArgument& item : list->items) define(item, scope);
    }
  }

  ProgramArgument resolved(const ProgramArgument& argument, const Scope& scope) const {
    if (const auto* value = std::get_if<GraphValue>(&argument.data)) {
      const auto found = scope.find(value->name);
      if (found == scope.end()) {
        throw Error(ErrorKind::model, label_ + " is damaged (its graph uses `" + value->name +
                                          "`, which nothing gives); export the model again");
      }
      return found->second;
    }
    if (const auto* list = std::get_if<ArgumentList>(&argument.data)) {
      ArgumentList result;
      for (const ProgramArgument& item : list->items) result.items.push_back(resolved(item, scope));
      return {std::move(result)};
    }
    return argument;
  }

  void add_nodes(const ProgramGraph& graph, Scope& scope) {
    for (const ProgramNode& node : graph.nodes) {
      if (const Wrapper* wrapper = wrapper_of(node)) {
        add_wrapped(node, *wrapper, scope);
      } else {
        add_call(node, scope);
      }
    }
  }

  void add_call(const ProgramNode& node, Scope& scope) {
    FlatStep step;
    step.node = node;
    for (NamedArgument& input : step.node.inputs) {
      if (const auto* inner = std::get_if<Subgraph>(&input.argument.data)) {
        step.graphs.push_back(flatten(*inner->graph, label_));
      } else {
        input.argument = resolved(input.argument, scope);
      }
    }
    for (ProgramArgument& output : step.node.outputs) define(output, scope);
    flat_->steps.push_back(std::move(step));
  }

  void add_wrapped(const ProgramNode& node, const Wrapper& wrapper, Scope& scope) {
    const auto graph_at = static_cast<std::size_t>(
        std::find_if(node.inputs.begin(), node.inputs.end(),
                     [](const NamedArgument& input) {
                       return std::holds_alternative<Subgraph>(input.argument.data);
                     }) -
        node.inputs.begin());
    if (graph_at == node.inputs.size()) misfit(node);
    const ProgramGraph& inner = *std::get<Subgraph>(node.inputs[graph_at].argument.data).graph;
    const std::size_t first = graph_at + 1 + wrapper.own_arguments;
    if (node.inputs.size() < first + inner.inputs.size()) misfit(node);
    Scope own;
    for (std::size_t i = 0; i < inner.inputs.size(); ++i) {
      const auto* value = std::get_if<GraphValue>(&inner.inputs[i].data);
      if (value != nullptr)
        own.insert_or_assign(value->name, resolved(node.inputs[first + i].argument, scope));
    }
    const bool autocast = wrapper.name == "wrap_with_autocast";
    if (autocast) {
      FlatStep enter{FlatStep::Kind::enter_autocast, node, {}, {}};
      enter.node.inputs.resize(graph_at);
      enter.node.outputs.clear();
      flat_->steps.push_back(std::move(enter));
    }
    add_nodes(inner, own);
    if (autocast) flat_->steps.push_back({FlatStep::Kind::leave_autocast, {}, {}, {}});
    hand_out(node, inner, own, scope);
  }

  /// The results of the wrapped graph, under the names that the node gives them.
  void hand_out(const ProgramNode& node, const ProgramGraph& inner, const Scope& own,
                Scope& scope) const {
    std::vector<std::string> names;
    for (const ProgramArgument& output : node.outputs) add_names(output, names);
    if (names.size() != inner.outputs.size()) misfit(node);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) scope.insert_or_assign(names[i], resolved(inner.outputs[i], own));
    }
  }

  static void add_names(const ProgramArgument& output, std::vector<std::string>& names) {
    if (const auto* list = std::get_if<ArgumentList>(&output.data)) {
      for (const ProgramArgument& item : list->items) add_names(item, names);
      return;
    }
    const auto* value = std::get_if<GraphValue>(&output.data);
    names.push_back(value == nullptr ? "" : value->name);
  }

  [[noreturn]] void misfit(const ProgramNode& node) const {
    throw Error(ErrorKind::model, label_ + " calls the higher-order operator " +
                                      higher_order_name(node.target) +
                                      " with a graph that does not fit it; export the model again");
  }

  std::string label_;
  std::shared_ptr<FlatGraph> flat_ = std::make_shared<FlatGraph>();
};

}  // namespace

ValueTree sequence_of(std::vector<ValueTree> items) {
  ValueTree tree;
  tree.kind = ValueTree::Kind::sequence;
  for (ValueTree& item : items) tree.children.emplace_back("", std::move(item));
  return tree;
}

namespace {

ValueTree tree_of_one(const ProgramArgument& value) {
  const auto* list = std::get_if<ArgumentList>(&value.data);
  if (list == nullptr) return {ValueTree::Kind::leaf, value, {}};
  std::vector<ValueTree> items;
  for (const ProgramArgument& item : list->items) items.push_back(tree_of_one(item));
  return sequence_of(std::move(items));
}

ValueTree tree_from(const TreeSpec& spec, const std::vector<ProgramArgument>& leaves,
                    std::size_t& next) {
  if (spec.type.empty() && spec.children.empty())
    return {ValueTree::Kind::leaf, leaves.at(next++), {}};
  ValueTree tree;
  const bool named = spec.keys.size() == spec.children.size() && !spec.keys.empty();
  tree.kind = named ? ValueTree::Kind::named : ValueTree::Kind::sequence;
  for (std::size_t i = 0; i < spec.children.size(); ++i)
    tree.children.emplace_back(named ? spec.keys[i] : "",
                               tree_from(spec.children[i], leaves, next));
  return tree;
}

}  // namespace

ValueTree tree_of(const std::vector<ProgramArgument>& values) {
  if (values.size() == 1) return tree_of_one(values.front());
  std::vector<ValueTree> items;
  for (const ProgramArgument& value : values) items.push_back(tree_of_one(value));
  return sequence_of(std::move(items));
}

ValueTree tree_of(const TreeSpec& spec, const std::vector<ProgramArgument>& leaves) {
  PARITY_CHECK(spec.leaves() == leaves.size());
  std::size_t next = 0;
  return tree_from(spec, leaves, next);
}

std::shared_ptr<FlatGraph> flatten(const ProgramGraph& graph, const std::string& label) {
  return Flattening(label).whole(graph);
}

void find_last_uses(FlatGraph& graph) {
  constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last(graph.slots, kNever);
  const auto note = [&](std::size_t step) {
    return [&last, step](const GraphValue& value) {
      std::size_t& known = last[value.slot];
      known = known == kNever ? step : std::max(known, step);
    };
  };
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    each_value(graph.steps[i].node.inputs, note(i));
    each_value(graph.steps[i].node.outputs, note(i));
  }
  for (const PlannedTap& tap : graph.taps) each_value(tap.value, note(tap.behind));
  each_value(graph.outputs, [&](const GraphValue& value) { last[value.slot] = kNever; });
  for (std::size_t slot = 0; slot < last.size(); ++slot) {
    if (last[slot] != kNever) graph.steps[last[slot]].dead_behind.push_back(slot);
  }
}

std::string higher_order_name(const std::string& target) {
  static constexpr std::string_view kStart = "torch.ops.higher_order.";
  return target.rfind(kStart, 0) == 0 ? target.substr(kStart.size()) : "";
}

}  // namespace parity::model
