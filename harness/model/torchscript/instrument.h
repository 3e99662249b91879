// Private to model/: rewrites a copy of a method's graph so that taps fire where layers and heavy
// operators end. The model's own graphs stay as they are; running the copy gives the same bits as
// running the original.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "model/torchscript/probe.h"
#include "run/settings.h"

namespace parity::model {

/// What to put into the graph.
enum class Probing : std::uint8_t {
  module_taps,  ///< after every call of a submodule, and after heavy operators whose result no call
                ///< hands on
  op_taps,      ///< after every operator that yields a tensor, too
  marks,        ///< in front of every operator, to find the one that a run fails in
};

struct InstrumentedGraph {
  std::shared_ptr<torch::jit::Graph> graph;
  std::vector<Site> sites;         ///< by the number that the graph hands to the probe
  std::vector<std::string> notes;  ///< what could not be tapped, and why
};

/// `method` of `module` with all calls inlined, each instance under its own path though instances
/// share a class. The graph runs on any copy of the module.
[[nodiscard]] InstrumentedGraph instrument(const torch::jit::Module& module,
                                           const std::string& method, Probing probing);

}  // namespace parity::model
