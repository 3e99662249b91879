// One number picks among several GPUs; which number a process has is not decided here.
#include "model/device_choice.h"

#include "model/torch_entries.h"

namespace parity::model {

// A number and how many there are of another thing; the callers below and the tests name both.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string device_of_local_rank(const std::string& device, std::size_t local_rank,
                                 std::size_t gpu_count) {
  const bool is_open = device == "auto" || device == "cuda";
  return is_open && gpu_count > 0 ? "cuda:" + std::to_string(local_rank % gpu_count) : device;
}

std::string device_of_local_rank(const std::string& device, std::size_t local_rank) {
  if (device == "cpu") return device_of_local_rank(device, local_rank, 0);
  run::Settings settings;
  settings.device = device;
  const TorchEntries& torch = torch_entries();
  torch.load_device_library(settings);
  return device_of_local_rank(device, local_rank, static_cast<std::size_t>(torch.gpu_count()));
}

}  // namespace parity::model
