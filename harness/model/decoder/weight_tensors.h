// Private to the decoder: bound weights as torch tensors on a device. Knows names and dtypes; which
// of them an architecture needs is decided in the plan, and how they get there by the caller.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/weight_layout.h"

namespace parity::model {

/// A stored tensor over its mapped memory, strided as in the file and not cast; a copy where it
/// lies unaligned.
[[nodiscard]] at::Tensor view_of(const StoredTensor& stored);

class WeightTensors {
 public:
  using Load = std::function<at::Tensor(const StoredTensor& stored)>;

  /// The parameters `names`, each as `load` brings it to the device. Weights that share a tensor in
  /// the file share it here.
  WeightTensors(const StateDict& weights, const WeightBinding& binding,
                const std::vector<std::string>& names, const Load& load);

  /// An undefined tensor when the architecture has no such parameter (a bias).
  [[nodiscard]] at::Tensor find(const std::string& name) const;
  /// `name` is one of parameters_of(config).
  [[nodiscard]] at::Tensor at(const std::string& name) const;

 private:
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace parity::model
