#include "pipeline/record/plain_run.h"

#include <set>

#include "pipeline/record/tapped_run.h"

namespace parity::pipeline {

OutputDigests plain_outputs(model::Model& model, const tensor::Value& inputs) {
  OutputDigestSink sink;
  capture::TapFilter everything({}, {});
  (void)run_tapped(model, inputs, model::Instrumentation::outputs_only, everything, sink);
  return sink.output_digests();
}

std::vector<std::string> changed_by_taps(const OutputDigests& plain, const OutputDigests& tapped) {
  std::set<run::TapId> outputs;
  for (const auto& entry : plain) outputs.insert(entry.first);
  for (const auto& entry : tapped) outputs.insert(entry.first);
  std::vector<std::string> notes;
  for (const run::TapId& id : outputs) {
    const auto left = plain.find(id);
    const auto right = tapped.find(id);
    if (left != plain.end() && right != tapped.end() && left->second == right->second) continue;
    notes.push_back("looking changed the result: " + run::to_string(id) +
                    " of the tapped run is not the plain run's; the device or the model is not "
                    "deterministic, or a "
                    "fusion is lost when taps are inserted");
  }
  return notes;
}

}  // namespace parity::pipeline
