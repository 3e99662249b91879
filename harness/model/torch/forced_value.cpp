#include "model/torch/forced_value.h"

#include <ATen/ATen.h>

#include "model/torch/bridge.h"

namespace parity::model {
namespace {

/// Over bytes that are only read.
at::Tensor over(const tensor::TensorView& value) {
  auto* data = const_cast<std::byte*>(value.bytes.data());
  return at::from_blob(data, value.shape, at::TensorOptions().dtype(scalar_type_of(value.dtype)));
}

/// One element stands for all of an expanded dimension.
at::Tensor without_repetition(at::Tensor tensor, const at::Tensor& like) {
  for (std::int64_t axis = 0; axis < like.dim(); ++axis) {
    if (like.stride(axis) == 0 && like.size(axis) > 1) tensor = tensor.narrow(axis, 0, 1);
  }
  return tensor;
}

}  // namespace

std::string overwrite(const at::Tensor& tensor, const tensor::TensorView& value) {
  if (tensor.sizes() != at::IntArrayRef(value.shape)) return "its shape is another";
  if (tensor.numel() == 0) return {};
  if (tensor.layout() != c10::kStrided) return "its layout has no strides";
  const at::NoGradGuard no_gradients;
  without_repetition(tensor.detach(), tensor).copy_(without_repetition(over(value), tensor));
  return {};
}

}  // namespace parity::model
