// Tensors over mapped storages: on the CPU and in the file's dtype nothing is copied.
#include "model/decoder/weight_tensors.h"

#include <cstdint>

#include <ATen/ops/from_blob.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/guard.h"

namespace parity::model {
namespace {

/// Bytes from the first element to the end of the last one.
std::size_t extent_bytes(const StoredTensor& stored) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < stored.shape.size(); ++i) {
    last += (stored.shape[i] - 1) * stored.strides[i];
  }
  return (static_cast<std::size_t>(last) + 1) * tensor::size_bytes(stored.dtype);
}

/// Legacy pickles and safetensors may start a tensor at any byte, but loads of an element must be
/// aligned.
at::Tensor aligned(const at::Tensor& view) {
  const auto address = reinterpret_cast<std::uintptr_t>(view.const_data_ptr());
  return address % view.element_size() == 0 ? view : view.clone();
}

}  // namespace

at::Tensor view_of(const StoredTensor& stored) {
  PARITY_CHECK(stored.strides.size() == stored.shape.size());
  PARITY_CHECK(extent_bytes(stored) <= stored.storage.size());
  // from_blob wants a mutable pointer; nothing in the decoder writes to a weight.
  auto* data = const_cast<std::byte*>(stored.storage.data());
  return aligned(at::from_blob(
      data, stored.shape, stored.strides, [owner = stored.owner](void*) {},
      at::TensorOptions().dtype(scalar_type_of(stored.dtype))));
}

WeightTensors::WeightTensors(const StateDict& weights, const WeightBinding& binding,
                             const std::vector<std::string>& names, const Load& load) {
  std::map<std::size_t, at::Tensor> loaded;
  for (const std::string& name : names) {
    const std::size_t position = binding.tensors.at(name);
    at::Tensor& tensor = loaded[position];
    if (!tensor.defined()) {
      const StoredTensor& stored = weights.tensors[position];
      with_torch_errors("loading weight " + stored.name, [&] { tensor = load(stored); });
    }
    tensors_[name] = tensor;
  }
}

at::Tensor WeightTensors::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? at::Tensor() : found->second;
}

at::Tensor WeightTensors::at(const std::string& name) const {
  at::Tensor tensor = find(name);
  PARITY_CHECK(tensor.defined());
  return tensor;
}

}  // namespace parity::model
