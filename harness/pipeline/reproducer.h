// The blamed operators alone, in a folder that can be sent to whoever maintains them.
#pragma once

#include <filesystem>
#include <string>

#include "model/operator_trace.h"
#include "run/recording.h"
#include "run/settings.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// What the reproducer is of.
struct Reproduced {
  const run::RecordingHeader& reference;  ///< of the golden: where `expected` comes from
  std::string case_name;
  run::TapId tap;
  tensor::HostTensor expected;  ///< the reference's value of the tap
};

/// Throws Error(usage) when `folder` exists and is not empty: nothing there is overwritten.
void require_empty(const std::filesystem::path& folder);

/// Writes the files of model::ReproducerFiles and `golden.h5`, a golden of the operators with the
/// reference's value as their output. Returns the parity command that replays it.
[[nodiscard]] std::string write_reproducer(const std::filesystem::path& folder,
                                           const model::OperatorTrace& trace,
                                           const Reproduced& reproduced,
                                           const run::Settings& settings);

}  // namespace parity::pipeline
