#include "model/exported/vocabulary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/exported/tap_plan.h"

namespace parity::model {
namespace {

/// Other shapes of the same ids.
bool hands_values_on(const std::string& op) {
  static const std::set<std::string> kNames = {"aten.view",  "aten.reshape",   "aten.alias",
                                               "aten.to",    "aten._to_copy",  "aten.contiguous",
                                               "aten.clone", "aten.unsqueeze", "aten.slice"};
  return kNames.count(op) != 0;
}

}  // namespace

std::int64_t vocabulary_of(const Program& program, const FlatGraph& graph) {
  std::map<std::size_t, std::string> tables;  // by slot
  std::map<std::size_t, std::size_t> given;   // position among the inputs, by slot
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const auto* value = std::get_if<GraphValue>(&graph.inputs[i].data);
    if (value == nullptr) continue;
    if (program.inputs[i].role == InputRole::user) {
      given.emplace(value->slot, i);
    } else {
      tables.emplace(value->slot, value->name);
    }
  }
  std::map<std::size_t, std::int64_t> rows_of;  // of the smallest table, by position
  for (const FlatStep& step : graph.steps) {
    if (hands_values_on(dotted_operator(step.node.target))) {
      const auto* from = std::get_if<GraphValue>(&step.node.inputs.at(0).argument.data);
      const auto known = from == nullptr ? given.end() : given.find(from->slot);
      if (known == given.end()) continue;
      each_value(step.node.outputs, [&, position = known->second](const GraphValue& value) {
        given.emplace(value.slot, position);
      });
    }
    if (dotted_operator(step.node.target) != "aten.embedding" || step.node.inputs.size() < 2)
      continue;
    const auto* table = std::get_if<GraphValue>(&step.node.inputs[0].argument.data);
    const auto* ids = std::get_if<GraphValue>(&step.node.inputs[1].argument.data);
    const auto input = ids == nullptr ? given.end() : given.find(ids->slot);
    const auto name = table == nullptr ? tables.end() : tables.find(table->slot);
    if (input == given.end() || name == tables.end()) continue;
    const auto meta = program.graph.tensors.find(name->second);
    if (meta == program.graph.tensors.end() || meta->second.sizes.empty()) continue;
    const auto* rows = std::get_if<std::int64_t>(&meta->second.sizes.front());
    if (rows == nullptr) continue;
    std::int64_t& known = rows_of.emplace(input->second, *rows).first->second;
    known = std::min(known, *rows);
  }
  return rows_of.empty() ? 0 : rows_of.begin()->second;
}

}  // namespace parity::model
