// The public functions of model/ that need LibTorch, handed on to whoever has it.
#include "model/torch_entries.h"

#include "model/operator_library.h"
#include "model/probe_device.h"

namespace parity::model {

TorchLibrary torch_library() { return torch_entries().torch_library(); }

void count_devices(const run::Say& say) { torch_entries().count_devices(say); }

void try_device(const std::string& device, const run::Say& say) {
  torch_entries().try_device(device, say);
}

std::unique_ptr<run::ProbeDevice> open_probe_device(const run::Settings& settings) {
  return torch_entries().open_probe_device(settings);
}

std::unique_ptr<OperatorTrace> trace_operators(Model& model, const tensor::Value& inputs,
                                               const Segment& segment, run::TapSink& sink) {
  return torch_entries().trace_operators(model, inputs, segment, sink);
}

const std::string& gpu_library_problem() { return torch_entries().device_library_problem(); }

}  // namespace parity::model
