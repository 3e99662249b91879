// Private to model/: parameters, buffers and constants of an exported program as torch tensors:
// views of the mapped file on the CPU, copies on a device or in another dtype. Knows names and
// memory; which of them a run writes into, it is told.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/exported/program_file.h"
#include "model/torch/cast.h"

namespace parity::model {

class ProgramWeights {
 public:
  /// Loads those that `names` says. Weights that share memory in the file share it here.
  ProgramWeights(std::map<std::string, ProgramWeight> weights, const std::set<std::string>& names,
                 const c10::Device& device, const Cast& cast);

  /// By name, for one run: what shares memory with one of `written` is a copy of its own.
  [[nodiscard]] std::map<std::string, at::Tensor> for_run(
      const std::set<std::string>& written) const;

 private:
  /// A record of the archive as elements of one dtype.
  using Storage = std::pair<std::string, tensor::DType>;

  [[nodiscard]] static Storage storage_of(const ProgramWeight& weight) {
    return {weight.record, weight.stored.dtype};
  }

  std::map<std::string, ProgramWeight> weights_;
  std::set<std::string> names_;
  std::map<Storage, at::Tensor> storages_;  ///< one dimension
};

}  // namespace parity::model
