// Private to model/: runs a flat graph, operator by operator, through PyTorch's dispatcher. Values
// are freed behind their last use. Knows no file, no devices' names and no weights.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include "model/exported/flat_graph.h"
#include "model/exported/operator_arguments.h"
#include "model/torch/tap_emitter.h"

namespace parity::model {

/// The operator that a node names; nullopt when nobody registered it.
[[nodiscard]] std::optional<c10::OperatorHandle> operator_of(const std::string& target);

/// What of a graph cannot run, in one sentence with the layers that need it: operators that nobody
/// registered, higher-order operators that are not known. "" when all can.
[[nodiscard]] std::string what_cannot_run(const FlatGraph& graph);

class ProgramRunner {
 public:
  /// All of the graph can run.
  explicit ProgramRunner(std::shared_ptr<const FlatGraph> graph);

  /// `inputs`: one for each of the graph, whatever for constants. Taps go to `emitter`, unless it
  /// is null. Returns the graph's values by slot, of which its outputs alone are still there.
  [[nodiscard]] Slots run(std::vector<c10::IValue> inputs, TapEmitter* emitter);

  /// The call that a run failed in: "op aten.linear of layer fc"; "" before the first.
  [[nodiscard]] std::string place() const;

 private:
  class Execution;

  std::shared_ptr<const FlatGraph> graph_;
  std::unordered_map<const FlatStep*, c10::OperatorHandle> operators_;
  const FlatStep* current_ = nullptr;
};

/// `tree` with its values, for whoever names them: dicts by key, tuples by position.
[[nodiscard]] c10::IValue value_of(const ValueTree& tree, const Slots& slots);

}  // namespace parity::model
