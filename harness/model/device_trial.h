// Tries a device with the operations that every model needs, and says what it does before it does
// it: made for a process of its own, which a bad driver may kill.
#pragma once

#include <filesystem>
#include <string>

#include "run/trial_lines.h"

namespace parity::model {

/// Loads LibTorch's device library and counts devices. Facts: how many, and what stands in the way.
void count_devices(const run::Say& say);

/// On `device` ("cpu", "cuda:N"): a matrix product of small integers, which must be exact; softmax,
/// whose rows must sum to 1; attention against the CPU's; copies that must come back bit for bit;
/// and on a GPU how much faster pinned copies are, and whether they overlap with work.
/// Throws Error as a run would; does not say that it is done.
void try_device(const std::string& device, const run::Say& say);

/// The LibTorch that is loaded.
struct TorchLibrary {
  std::filesystem::path folder;  ///< of its libraries
  std::string headers;           ///< version that parity was compiled with
};
[[nodiscard]] TorchLibrary torch_library();

}  // namespace parity::model
