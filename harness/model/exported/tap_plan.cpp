#include "model/exported/tap_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "model/torch/heavy_operators.h"

namespace parity::model {
namespace {

using Stack = std::vector<ModuleFrame>;

/// One call of a module: the steps that lie in it.
struct ModuleCall {
  std::string path;
  std::string type;
  std::string mark;  ///< "@1" of a repeated call
  std::size_t depth = 0;
  std::set<std::size_t> steps;
};

/// The part that two stacks share.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
Stack shared(const Stack& one, const Stack& other) {
  const auto end = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  return {one.begin(), end};
}

/// Stacks of all steps; a step without one lies where both its neighbours lie, or where the graph
/// is called.
std::vector<Stack> stacks_of(const FlatGraph& graph, const Stack& open) {
  std::vector<Stack> stacks;
  for (const FlatStep& step : graph.steps) stacks.push_back(step.node.modules);
  std::vector<Stack> next(stacks.size() + 1, open);
  for (std::size_t i = stacks.size(); i-- > 0;)
    next[i] = stacks[i].empty() ? next[i + 1] : stacks[i];
  Stack previous = open;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (stacks[i].empty()) {
      stacks[i] = shared(previous, next[i]);
    } else {
      previous = stacks[i];
    }
  }
  return stacks;
}

std::string mark_of(const std::string& call) {
  const std::size_t at = call.rfind('@');
  const bool mark = at != std::string::npos && at + 1 < call.size() &&
                    call.find_first_not_of("0123456789", at + 1) == std::string::npos;
  return mark ? call.substr(at) : "";
}

bool yields_tensor(const ProgramNode& node) {
  bool found = false;
  each_value(node.outputs,
             [&](const GraphValue& value) { found = found || value.kind == ValueKind::tensor; });
  return found;
}

bool is_recurrent(const std::string& type) {
  static constexpr std::string_view kModule = "torch.nn.modules.rnn.";
  return type.rfind(kModule, 0) == 0 && type.find("Cell") == std::string::npos;
}

bool is_recurrent_operator(const std::string& op) {
  return op == "aten.lstm" || op == "aten.gru" || op == "aten.rnn_tanh" || op == "aten.rnn_relu";
}

class Plan {
 public:
  Plan(FlatGraph& graph, const std::map<std::string, ModuleSignature>& signatures,
       run::TapDepth depth, const Stack& open)
      : graph_(graph),
        signatures_(signatures),
        depth_(depth),
        open_(open.size()),
        stacks_(stacks_of(graph, open)) {
    find_calls();
    find_uses();
  }

  void make() {
    for (auto& [key, call] : calls_) add_module_tap(call);
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) add_op_tap(i);
    // What a step computed, then the modules that end with it from the inside out.
    std::stable_sort(ordered_.begin(), ordered_.end(),
                     [](const Ordered& one, const Ordered& other) {
                       if (one.tap.behind != other.tap.behind)
                         return one.tap.behind < other.tap.behind;
                       return one.depth > other.depth;
                     });
    for (Ordered& each : ordered_) graph_.taps.push_back(std::move(each.tap));
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  static constexpr std::size_t kBeforeModules = static_cast<std::size_t>(-1);

  struct Ordered {
    PlannedTap tap;
    std::size_t depth;
  };

  void find_calls() {
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      std::string key;
      for (std::size_t level = 0; level < stacks_[i].size(); ++level) {
        const ModuleFrame& frame = stacks_[i][level];
        key += frame.call + '\n';
        if (frame.path.empty() || level < open_) continue;
        ModuleCall& call = calls_[key];
        call.path = frame.path;
        call.type = frame.type;
        call.mark = mark_of(frame.call);
        call.depth = level;
        call.steps.insert(i);
      }
    }
  }

  void find_uses() {
    users_.resize(graph_.slots);
    defined_.assign(graph_.slots, kNowhere);
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
      const ProgramNode& node = graph_.steps[i].node;
      each_value(node.outputs, [&](const GraphValue& value) { defined_[value.slot] = i; });
      // What only looks at a tensor's sizes takes no value out of a module.
      if (!yields_tensor(node)) continue;
      each_value(node.inputs, [&](const GraphValue& value) { users_[value.slot].push_back(i); });
    }
    each_value(graph_.outputs,
               [&](const GraphValue& value) { users_[value.slot].push_back(graph_.steps.size()); });
  }

  bool leaves(const GraphValue& value, const ModuleCall& call) const {
    const auto& users = users_[value.slot];
    return std::any_of(users.begin(), users.end(),
                       [&](std::size_t user) { return call.steps.count(user) == 0; });
  }

  bool used_inside(const GraphValue& value, const ModuleCall& call) const {
    const auto& users = users_[value.slot];
    return std::any_of(users.begin(), users.end(),
                       [&](std::size_t user) { return call.steps.count(user) != 0; });
  }

  std::optional<ValueTree> preserved_outputs(const ModuleCall& call) const {
    const auto found = signatures_.find(call.path + call.mark);
    if (found == signatures_.end()) return std::nullopt;
    std::vector<ProgramArgument> leaves = found->second.outputs;
    if (leaves.size() != found->second.output_tree.leaves()) return std::nullopt;
    for (ProgramArgument& leaf : leaves) {
      auto* value = std::get_if<GraphValue>(&leaf.data);
      if (value == nullptr) continue;
      const auto slot = graph_.slot_of.find(value->name);
      if (slot == graph_.slot_of.end()) return std::nullopt;
      value->slot = slot->second;
    }
    return tree_of(found->second.output_tree, leaves);
  }

  /// (output, (h, c)) or (output, h), as the modules of PyTorch return them.
  std::optional<ValueTree> recurrent_outputs(const ModuleCall& call,
                                             const std::vector<GraphValue>& leaving) const {
    if (!is_recurrent(call.type) || leaving.empty()) return std::nullopt;
    const std::size_t step = defined_[leaving.front().slot];
    const ProgramNode& node = graph_.steps[step].node;
    const bool all_of_it =
        std::all_of(leaving.begin(), leaving.end(),
                    [&](const GraphValue& value) { return defined_[value.slot] == step; });
    if (!all_of_it || !is_recurrent_operator(dotted_operator(node.target))) return std::nullopt;
    ValueTree whole = tree_of(node.outputs);
    if (whole.children.size() != 3) return whole;
    ValueTree state = sequence_of({whole.children[1].second, whole.children[2].second});
    return sequence_of({whole.children[0].second, std::move(state)});
  }

  std::optional<ValueTree> outputs_of(const ModuleCall& call) const {
    if (auto preserved = preserved_outputs(call)) return preserved;
    std::vector<GraphValue> leaving;
    for (const std::size_t step : call.steps) {
      each_value(graph_.steps[step].node.outputs, [&](const GraphValue& value) {
        if (value.kind == ValueKind::tensor && leaves(value, call)) leaving.push_back(value);
      });
    }
    if (leaving.empty()) return std::nullopt;
    if (auto recurrent = recurrent_outputs(call, leaving)) return recurrent;
    std::vector<ProgramArgument> ends;
    for (const GraphValue& value : leaving) {
      if (!used_inside(value, call)) ends.push_back({value});
    }
    // A cache that is handed out beside the result was used in the module, too.
    if (ends.empty() || used_inside(leaving.back(), call)) ends = {{leaving.back()}};
    return tree_of(ends);
  }

  /// The last step of the call before anything outside it uses the value.
  std::size_t end_of(const ModuleCall& call, const ValueTree& value) const {
    std::size_t bound = graph_.steps.size();
    std::size_t end = 0;
    each_value(value, [&](const GraphValue& each) {
      for (const std::size_t user : users_[each.slot]) {
        if (call.steps.count(user) == 0) bound = std::min(bound, user);
      }
      if (defined_[each.slot] != kNowhere) end = std::max(end, defined_[each.slot]);
    });
    const auto behind = call.steps.lower_bound(bound);
    if (behind != call.steps.begin()) end = std::max(end, *std::prev(behind));
    return end;
  }

  void add_module_tap(const ModuleCall& call) {
    std::optional<ValueTree> value = outputs_of(call);
    if (!value) return;
    each_value(*value, [&](const GraphValue& each) { returned_[call.path].insert(each.slot); });
    const std::size_t end = end_of(call, *value);
    ordered_.push_back({{end, run::TapKind::module, call.path, "", *std::move(value)}, call.depth});
  }

  /// What the call returns as it is has the call's own tap.
  bool all_returned(const std::string& path, const ProgramNode& node) const {
    bool all = true;
    each_value(node.outputs, [&](const GraphValue& value) {
      const auto& users = users_[value.slot];
      const bool output = std::find(users.begin(), users.end(), graph_.steps.size()) != users.end();
      const auto own = returned_.find(path);
      // What a graph inside the program returns is no result of the model.
      const bool returned = path.empty() && open_ == 0
                                ? output
                                : own != returned_.end() && own->second.count(value.slot);
      all = all && (users.empty() || returned);
    });
    return all;
  }

  void add_op_tap(std::size_t step) {
    const FlatStep& flat = graph_.steps[step];
    const std::string op = dotted_operator(flat.node.target);
    if (flat.kind != FlatStep::Kind::call || op.empty() || !yields_tensor(flat.node)) return;
    const std::string path = stacks_[step].empty() ? "" : stacks_[step].back().path;
    if (depth_ == run::TapDepth::modules &&
        (!is_heavy_operator(op) || all_returned(path, flat.node)))
      return;
    ordered_.push_back(
        {{step, run::TapKind::op, path, op, tree_of(flat.node.outputs)}, kBeforeModules});
  }

  FlatGraph& graph_;
  const std::map<std::string, ModuleSignature>& signatures_;
  run::TapDepth depth_;
  std::size_t open_;  ///< frames of the modules that the graph is called in
  std::vector<Stack> stacks_;
  std::map<std::string, ModuleCall> calls_;
  std::vector<std::vector<std::size_t>> users_;  ///< by slot; the graph's end counts as a step
  std::vector<std::size_t> defined_;             ///< by slot
  std::map<std::string, std::set<std::size_t>> returned_;  ///< slots, by module path
  std::vector<Ordered> ordered_;
};

void plan(FlatGraph& graph, const std::map<std::string, ModuleSignature>& signatures,
          run::TapDepth depth, const Stack& open) {
  const std::vector<Stack> stacks = stacks_of(graph, open);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    for (const std::shared_ptr<FlatGraph>& inner : graph.steps[i].graphs)
      plan(*inner, signatures, depth, stacks[i]);
  }
  Plan(graph, signatures, depth, open).make();
}

}  // namespace

void plan_taps(FlatGraph& graph, const std::map<std::string, ModuleSignature>& signatures,
               run::TapDepth depth) {
  plan(graph, signatures, depth, {});
}

std::string dotted_operator(const std::string& target) {
  static constexpr std::string_view kStart = "torch.ops.";
  if (target.rfind(kStart, 0) != 0 || !higher_order_name(target).empty()) return "";
  const std::size_t overload = target.rfind('.');
  if (overload <= kStart.size()) return "";
  return target.substr(kStart.size(), overload - kStart.size());
}

}  // namespace parity::model
