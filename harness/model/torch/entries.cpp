#include "model/torch/entries.h"

#include "model/decoder/decoder_model.h"
#include "model/exported/exported_model.h"
#include "model/torch/device.h"
#include "model/torch_entries.h"
#include "model/torchscript/torchscript_model.h"

namespace parity::model {

const TorchEntries* parity_torch_entries() {
  static const TorchEntries kEntries = {
      .version = PARITY_VERSION,
      .torch_library = entry::torch_library,
      .count_devices = entry::count_devices,
      .try_device = entry::try_device,
      .open_probe_device = entry::open_probe_device,
      .trace_operators = entry::trace_operators,
      .open_torchscript = open_torchscript,
      .open_exported = open_exported,
      .open_decoder = open_decoder,
      .load_device_library = load_device_library,
      .device_library_problem = device_library_problem,
      .device_library_tried = device_library_tried,
      .gpu_count = gpu_count,
  };
  return &kEntries;
}

}  // namespace parity::model
