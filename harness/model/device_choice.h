// Which GPU a process takes that is one of several on its machine.
// Knows no launcher: the process's number among them is given.
#pragma once

#include <cstddef>
#include <string>

namespace parity::model {

/// `device` with the GPU in it that process `local_rank` of this machine takes: 0, 1, ... and round
/// again, so that one GPU for each is used where the launcher hides the others, too. Unchanged
/// where it names a GPU or the CPU, or where there is no GPU.
[[nodiscard]] std::string device_of_local_rank(const std::string& device, std::size_t local_rank,
                                               std::size_t gpu_count);

/// The same with the GPUs that this process sees; looks for them unless `device` is "cpu".
[[nodiscard]] std::string device_of_local_rank(const std::string& device, std::size_t local_rank);

}  // namespace parity::model
