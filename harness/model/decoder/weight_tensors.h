// Private to the decoder: the bound weights as torch tensors on the model's device.
// Knows names and dtypes; which of them an architecture needs is decided in the plan.
#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/weight_layout.h"
#include "model/torch/cast.h"

namespace parity::model {

class WeightTensors {
 public:
  /// Views of the mapped file where device and cast allow, copies elsewhere. Weights that share a
  /// tensor in the file share it here.
  WeightTensors(const StateDict& weights, const WeightBinding& binding, const c10::Device& device,
                const Cast& cast);

  /// An undefined tensor when the architecture has no such parameter (a bias).
  [[nodiscard]] at::Tensor find(const std::string& name) const;
  /// `name` is one of parameters_of(config).
  [[nodiscard]] at::Tensor at(const std::string& name) const;

 private:
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace parity::model
