#include "model/torch/bridge.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ATen/ATen.h>

#include "error/error.h"
#include "model/torch/cast.h"

namespace parity::model {
namespace {

using tensor::DType;

constexpr std::array<std::pair<DType, at::ScalarType>, 19> kTypes = {{
    {DType::float64, at::kDouble},
    {DType::float32, at::kFloat},
    {DType::float16, at::kHalf},
    {DType::bfloat16, at::kBFloat16},
    {DType::float8_e4m3fn, at::kFloat8_e4m3fn},
    {DType::float8_e4m3fnuz, at::kFloat8_e4m3fnuz},
    {DType::float8_e5m2, at::kFloat8_e5m2},
    {DType::float8_e5m2fnuz, at::kFloat8_e5m2fnuz},
    {DType::int64, at::kLong},
    {DType::int32, at::kInt},
    {DType::int16, at::kShort},
    {DType::int8, at::kChar},
    {DType::uint64, at::kUInt64},
    {DType::uint32, at::kUInt32},
    {DType::uint16, at::kUInt16},
    {DType::uint8, at::kByte},
    {DType::boolean, at::kBool},
    {DType::complex64, at::kComplexFloat},
    {DType::complex128, at::kComplexDouble},
}};

/// Target of a conversion, handed through nested values.
struct Placement {
  c10::Device device;
  Cast cast;
};

at::Tensor placed(const tensor::HostTensor& host, const Placement& placement) {
  const at::Tensor source = to_torch(host);
  // A model may write into its inputs, so it never gets the host tensor's own bytes.
  return placement.cast(source.to(source.options().device(placement.device),
                                  /*non_blocking=*/false, /*copy=*/true));
}

c10::IValue converted(const tensor::Value& value, const Placement& placement);

/// TorchScript lists are typed: the elements' common type decides, List[Any] when there is none.
c10::IValue converted_list(const tensor::ValueList& list, const Placement& placement) {
  std::vector<c10::IValue> items;
  items.reserve(list.items.size());
  for (const tensor::Value& item : list.items) items.push_back(converted(item, placement));
  c10::TypePtr type = items.empty() ? c10::AnyType::get() : items.front().type();
  for (const c10::IValue& item : items) {
    if (*item.type() != *type) type = c10::AnyType::get();
  }
  c10::impl::GenericList result(type);
  for (c10::IValue& item : items) result.push_back(std::move(item));
  return result;
}

c10::IValue converted_dict(const tensor::ValueDict& dict, const Placement& placement) {
  std::vector<std::pair<std::string, c10::IValue>> items;
  for (const auto& [key, item] : dict.items) items.emplace_back(key, converted(item, placement));
  c10::TypePtr type = items.empty() ? c10::AnyType::get() : items.front().second.type();
  for (const auto& [key, item] : items) {
    if (*item.type() != *type) type = c10::AnyType::get();
  }
  c10::impl::GenericDict result(c10::StringType::get(), type);
  for (auto& [key, item] : items) result.insert(key, std::move(item));
  return result;
}

c10::IValue converted(const tensor::Value& value, const Placement& placement) {
  return std::visit(
      [&](const auto& data) -> c10::IValue {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<Data, tensor::HostTensor>) {
          return placed(data, placement);
        } else if constexpr (std::is_same_v<Data, tensor::ValueList>) {
          return converted_list(data, placement);
        } else if constexpr (std::is_same_v<Data, tensor::ValueTuple>) {
          std::vector<c10::IValue> items;
          for (const tensor::Value& item : data.items) items.push_back(converted(item, placement));
          return c10::ivalue::Tuple::create(std::move(items));
        } else if constexpr (std::is_same_v<Data, tensor::ValueDict>) {
          return converted_dict(data, placement);
        } else {
          return data;
        }
      },
      value.data);
}

}  // namespace

std::optional<tensor::DType> dtype_of(at::ScalarType type) {
  for (const auto& [ours, torchs] : kTypes) {
    if (torchs == type) return ours;
  }
  return std::nullopt;
}

at::ScalarType scalar_type_of(tensor::DType dtype) {
  for (const auto& [ours, torchs] : kTypes) {
    if (ours == dtype) return torchs;
  }
  PARITY_CHECK(!"every dtype has a row in kTypes");
  return at::kFloat;
}

at::Tensor to_torch(const tensor::HostTensor& tensor) {
  // from_blob takes no const pointer; the header forbids callers to write through it.
  auto* data = const_cast<std::byte*>(
      tensor.bytes().data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const auto options = at::TensorOptions().dtype(scalar_type_of(tensor.dtype()));
  if (tensor.bytes().empty()) return at::empty(tensor.shape(), options);
  return at::from_blob(
      data, tensor.shape(), [keep = tensor](void*) {}, options);
}

tensor::HostTensor to_host(const at::Tensor& tensor) {
  const std::optional<tensor::DType> dtype = dtype_of(tensor.scalar_type());
  if (!dtype) {
    throw Error(ErrorKind::model, std::string("tensors of type ") +
                                      at::toString(tensor.scalar_type()) +
                                      " cannot be taken to host memory: parity has no such dtype.");
  }
  const auto options = tensor.options().device(at::kCPU).pinned_memory(false);
  const auto copy = std::make_shared<at::Tensor>(
      at::empty(tensor.sizes(), options, at::MemoryFormat::Contiguous));
  copy->copy_(tensor.detach());
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(copy->const_data_ptr()),
                                         copy->nbytes());
  return {*dtype, tensor.sizes().vec(), bytes, copy};
}

bool same_bits(const at::Tensor& one, const at::Tensor& other) {
  const tensor::HostTensor first = to_host(one);
  const tensor::HostTensor second = to_host(other);
  return first.dtype() == second.dtype() && first.shape() == second.shape() &&
         std::equal(first.bytes().begin(), first.bytes().end(), second.bytes().begin(),
                    second.bytes().end());
}

c10::IValue to_ivalue(const tensor::Value& value, const c10::Device& device, const Cast& cast) {
  return converted(value, {device, cast});
}

}  // namespace parity::model
