// Private to model/: a torch tensor as capture/ sees it, and its copy to host memory without
// blocking the device.
#pragma once

#include <memory>
#include <string>

#include <ATen/core/Tensor.h>

#include "run/tap_stream.h"

namespace parity::model {

/// Strided, unquantised and of a dtype that parity has; the caller has checked.
class TorchDeviceTensor final : public run::DeviceTensor {
 public:
  /// `label` names the tap in errors.
  TorchDeviceTensor(const at::Tensor& tensor, std::string label);

  [[nodiscard]] tensor::DType dtype() const override { return dtype_; }
  [[nodiscard]] const tensor::Shape& shape() const override { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const override;
  /// The tapped tensor's memory under another handle.
  [[nodiscard]] const at::Tensor& tensor() const { return tensor_; }
  [[nodiscard]] std::unique_ptr<run::Transfer> start_copy(
      run::HostBuffer& destination) const override;
  [[nodiscard]] std::size_t sums_bytes() const override;
  [[nodiscard]] std::unique_ptr<run::Transfer> start_sums(run::HostBuffer& destination,
                                                          std::size_t first) const override;

 private:
  at::Tensor tensor_;
  tensor::DType dtype_;
  tensor::Shape shape_;
  std::string label_;
};

}  // namespace parity::model
