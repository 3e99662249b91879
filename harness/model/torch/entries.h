// Private to model/: what stands in the table of model/torch_entries.h under the name of a public
// function. The names differ by the namespace, so that the library never finds the program's
// function of the same name, which would call it back.
#pragma once

#include <memory>
#include <string>

#include "model/device_trial.h"
#include "model/operator_trace.h"
#include "run/probe.h"

namespace parity::model::entry {

[[nodiscard]] TorchLibrary torch_library();
void count_devices(const run::Say& say);
void try_device(const std::string& device, const run::Say& say);
[[nodiscard]] std::unique_ptr<run::ProbeDevice> open_probe_device(const run::Settings& settings);
[[nodiscard]] std::unique_ptr<OperatorTrace> trace_operators(Model& model,
                                                             const tensor::Value& inputs,
                                                             const Segment& segment,
                                                             run::TapSink& sink);

}  // namespace parity::model::entry
