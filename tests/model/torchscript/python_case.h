// A case that make_models.py wrote: a TorchScript file, its inputs, and what PyTorch's forward
// hooks saw.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::model {

struct PythonCase {
  std::filesystem::path file;
  tensor::Value inputs;  ///< a tuple of positional arguments
  std::vector<std::pair<std::string, tensor::HostTensor>>
      taps;  ///< name and value, in the order of the hooks
};

/// Folder that make_models.py filled, from the build; every case must exist.
[[nodiscard]] PythonCase read_python_case(const std::string& name);

/// Version of the Python torch that wrote the cases: bits agree between equal versions only.
[[nodiscard]] std::string python_torch_version();

/// "1 of 12 elements differ, first at [0, 3]: expected 0x1p+0, found 0x1.8p+0"; empty when
/// bit-equal.
[[nodiscard]] std::string difference(const tensor::HostTensor& expected,
                                     const tensor::HostTensor& found);

}  // namespace parity::model
