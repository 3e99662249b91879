#include "model/exported/program_weights.h"

#include <cstdint>

#include <ATen/ATen.h>

#include "model/torch/bridge.h"
#include "model/torch/guard.h"

namespace parity::model {
namespace {

/// All elements that the record holds, in place where they lie aligned.
at::Tensor elements_of(const ProgramWeight& weight) {
  const StoredTensor& stored = weight.stored;
  const std::size_t element = tensor::size_bytes(stored.dtype);
  const auto options = at::TensorOptions().dtype(scalar_type_of(stored.dtype));
  const auto before = static_cast<std::size_t>(weight.offset_elements);
  const auto count = static_cast<std::int64_t>(before + stored.storage.size() / element);
  if (count == 0) return at::empty({0}, options);
  // from_blob wants a mutable pointer; what a run writes into is copied before.
  auto* data = const_cast<std::byte*>(stored.storage.data()) - before * element;
  const at::Tensor view = at::from_blob(
      data, {count}, [owner = stored.owner](void*) {}, options);
  return reinterpret_cast<std::uintptr_t>(data) % element == 0 ? view : view.clone();
}

}  // namespace

ProgramWeights::ProgramWeights(std::map<std::string, ProgramWeight> weights,
                               const std::set<std::string>& names, const c10::Device& device,
                               const Cast& cast)
    : weights_(std::move(weights)), names_(names) {
  for (const std::string& name : names_) {
    const ProgramWeight& weight = weights_.at(name);
    at::Tensor& storage = storages_[storage_of(weight)];
    if (storage.defined()) continue;
    with_torch_errors("loading weight " + name,
                      [&] { storage = cast(elements_of(weight).to(device)); });
  }
}

std::map<std::string, at::Tensor> ProgramWeights::for_run(
    const std::set<std::string>& written) const {
  std::map<Storage, at::Tensor> copies;
  for (const std::string& name : written) {
    const Storage storage = storage_of(weights_.at(name));
    at::Tensor& copy = copies[storage];
    if (!copy.defined()) copy = storages_.at(storage).clone();
  }
  std::map<std::string, at::Tensor> tensors;
  for (const std::string& name : names_) {
    const ProgramWeight& weight = weights_.at(name);
    const Storage storage = storage_of(weight);
    const auto copy = copies.find(storage);
    const at::Tensor& elements = copy == copies.end() ? storages_.at(storage) : copy->second;
    const StoredTensor& stored = weight.stored;
    at::Tensor tensor =
        elements.as_strided(stored.shape, stored.strides, weight.offset_elements).detach();
    if (weight.trainable == Trainable::yes && tensor.is_floating_point())
      tensor.set_requires_grad(true);
    tensors[name] = std::move(tensor);
  }
  return tensors;
}

}  // namespace parity::model
