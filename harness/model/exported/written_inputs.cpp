#include "model/exported/written_inputs.h"

#include <algorithm>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "model/exported/program_runner.h"
#include "model/exported/tap_plan.h"
#include "model/torch/heavy_operators.h"
#include "model/torch/operator_recorder.h"

namespace parity::model {
namespace {

using Inputs = std::set<std::size_t>;

/// Operators made of others may hand an argument on without saying so (dropout that is off, a cast
/// to the same dtype); those that sum many terms do not.
bool may_hand_on_unsaid(const c10::OperatorHandle& handle, const std::string& name) {
  return handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
         (!is_heavy_operator(name) || is_custom_operator(name));
}

class Analysis {
 public:
  explicit Analysis(const FlatGraph& graph) : memory_of_(graph.slots) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      if (const auto* value = std::get_if<GraphValue>(&graph.inputs[i].data))
        memory_of_[value->slot] = {i};
    }
    for (const FlatStep& step : graph.steps) follow(step);
    for (const PlannedTap& tap : graph.taps)
      each_value(tap.value, [&](const GraphValue& value) { write(memory_of_[value.slot]); });
  }

  [[nodiscard]] Inputs take_written() { return std::move(written_); }

 private:
  void write(const Inputs& inputs) { written_.insert(inputs.begin(), inputs.end()); }

  [[nodiscard]] Inputs memory_of(const ProgramArgument& argument) const {
    Inputs all;
    each_value(argument, [&](const GraphValue& value) {
      all.insert(memory_of_[value.slot].begin(), memory_of_[value.slot].end());
    });
    return all;
  }

  void follow(const FlatStep& step) {
    if (step.kind != FlatStep::Kind::call) return;
    const auto handle = operator_of(step.node.target);
    Inputs handed_on;
    if (!handle) {
      follow_graphs(step, handed_on);
    } else {
      follow_operator(step.node, *handle, handed_on);
    }
    each_value(step.node.outputs,
               [&](const GraphValue& value) { memory_of_[value.slot] = handed_on; });
  }

  void follow_operator(const ProgramNode& node, const c10::OperatorHandle& handle,
                       Inputs& handed_on) {
    const bool unsaid = may_hand_on_unsaid(handle, dotted_operator(node.target));
    for (const c10::Argument& argument : handle.schema().arguments()) {
      const auto given =
          std::find_if(node.inputs.begin(), node.inputs.end(),
                       [&](const NamedArgument& each) { return each.name == argument.name(); });
      if (given == node.inputs.end()) continue;
      const Inputs memory = memory_of(given->argument);
      if (is_written(argument)) write(memory);
      if (argument.alias_info() != nullptr || unsaid)
        handed_on.insert(memory.begin(), memory.end());
    }
  }

  void follow_graphs(const FlatStep& step, Inputs& handed_on) {
    std::vector<Inputs> operands;
    for (const NamedArgument& input : step.node.inputs) add_operands(input.argument, operands);
    for (const Inputs& memory : operands) handed_on.insert(memory.begin(), memory.end());
    for (const std::shared_ptr<FlatGraph>& inner : step.graphs) {
      // Operands stand last, whatever is before them.
      const std::size_t count = inner->inputs.size();
      for (const std::size_t written : written_inputs(*inner)) {
        if (count <= operands.size()) write(operands[operands.size() - count + written]);
      }
    }
  }

  void add_operands(const ProgramArgument& argument, std::vector<Inputs>& operands) const {
    if (const auto* list = std::get_if<ArgumentList>(&argument.data)) {
      for (const ProgramArgument& item : list->items) add_operands(item, operands);
    } else if (!std::holds_alternative<Subgraph>(argument.data)) {
      operands.push_back(memory_of(argument));
    }
  }

  std::vector<Inputs> memory_of_;  ///< by slot: inputs whose memory the value may share
  Inputs written_;
};

}  // namespace

std::set<std::size_t> written_inputs(const FlatGraph& graph) {
  return Analysis(graph).take_written();
}

}  // namespace parity::model
