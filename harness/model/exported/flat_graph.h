// Private to model/: a graph of an exported program laid out for running: every value has a slot,
// graphs that only wrap a part of the model (gradients off, autocast) are taken apart into the one
// that holds them, and each value is known to be dead behind its last use. Free of torch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/exported/program.h"
#include "run/tap.h"

namespace parity::model {

/// A value with values inside: what a module returns, or a program.
struct ValueTree {
  enum class Kind : std::uint8_t { leaf, sequence, named };
  Kind kind = Kind::leaf;
  ProgramArgument leaf;
  std::vector<std::pair<std::string, ValueTree>> children;  ///< keys of `named` alone
};

[[nodiscard]] ValueTree sequence_of(std::vector<ValueTree> items);
/// One value as it is, several as a sequence; lists are sequences, too.
[[nodiscard]] ValueTree tree_of(const std::vector<ProgramArgument>& values);
/// `leaves` in the structure of `spec`, which has as many.
[[nodiscard]] ValueTree tree_of(const TreeSpec& spec, const std::vector<ProgramArgument>& leaves);

struct PlannedTap {
  std::size_t behind = 0;  ///< the step
  run::TapKind kind = run::TapKind::module;
  std::string path;
  std::string op;  ///< kind op only
  ValueTree value;
};

struct FlatGraph;

struct FlatStep {
  enum class Kind : std::uint8_t { call, enter_autocast, leave_autocast };
  Kind kind = Kind::call;
  ProgramNode node;                                ///< its values have slots
  std::vector<std::shared_ptr<FlatGraph>> graphs;  ///< of its inputs, in their order
  std::vector<std::size_t> dead_behind;            ///< slots
};

struct FlatGraph {
  std::vector<ProgramArgument> inputs;
  std::vector<FlatStep> steps;
  std::vector<ProgramArgument> outputs;
  std::size_t slots = 0;
  std::map<std::string, std::size_t> slot_of;  ///< by name, of its own values
  std::vector<PlannedTap> taps;                ///< in the order in which they fire
};

/// Calls `visit(GraphValue)` for every value in an argument, lists included, graphs not.
template <typename Visit>
void each_value(const ProgramArgument& argument, const Visit& visit) {
  if (const auto* value = std::get_if<GraphValue>(&argument.data)) {
    visit(*value);
  } else if (const auto* list = std::get_if<ArgumentList>(&argument.data)) {
    for (const ProgramArgument& item : list->items) each_value(item, visit);
  }
}

template <typename Visit>
void each_value(const std::vector<NamedArgument>& arguments, const Visit& visit) {
  for (const NamedArgument& each : arguments) each_value(each.argument, visit);
}

template <typename Visit>
void each_value(const std::vector<ProgramArgument>& arguments, const Visit& visit) {
  for (const ProgramArgument& each : arguments) each_value(each, visit);
}

template <typename Visit>
void each_value(const ValueTree& tree, const Visit& visit) {
  each_value(tree.leaf, visit);
  for (const auto& [key, child] : tree.children) each_value(child, visit);
}

/// Throws Error(model) for a value that nothing gives, and for a wrapped graph whose results do not
/// fit. `label` names the file.
[[nodiscard]] std::shared_ptr<FlatGraph> flatten(const ProgramGraph& graph,
                                                 const std::string& label);

/// Fills in `dead_behind`: taps count as uses.
void find_last_uses(FlatGraph& graph);

/// "cond" of torch.ops.higher_order.cond; "" for any other target.
[[nodiscard]] std::string higher_order_name(const std::string& target);

}  // namespace parity::model
