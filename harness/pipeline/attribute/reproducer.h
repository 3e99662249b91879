// The blamed operators alone, in a folder that can be sent to whoever maintains them. Knows nothing
// of why they are blamed, and writes the reference's value of the one tap only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/operator_trace.h"
#include "report/data/report.h"
#include "run/recording.h"
#include "run/settings.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// What the reproducer is of.
struct Reproduced {
  const run::RecordingHeader& golden;
  const report::Blame& blame;
  tensor::HostTensor reference;  ///< the golden's value of the blamed tap
};

struct WrittenReproducer {
  std::string command;     ///< of parity, that replays it
  std::string difference;  ///< how far it is from what the model's run gave; empty when it is not
};

/// Throws Error(usage) when `folder` exists and is not empty: nothing there is overwritten.
void require_empty(const std::filesystem::path& folder);

/// What is said where none was written.
[[nodiscard]] std::string wrote_no_reproducer(const std::string& reason);

/// Writes the files of model::ReproducerFiles and `golden.h5`, a golden of the operators with the
/// reference's value as their output, and runs them. Leaves nothing behind when it fails.
[[nodiscard]] WrittenReproducer write_reproducer(
    const std::filesystem::path& folder, const model::OperatorTrace& trace,
    const Reproduced& reproduced, const run::Settings& settings,
    const std::vector<std::filesystem::path>& libraries);

}  // namespace parity::pipeline
