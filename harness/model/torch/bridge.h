// Private to model/: between torch's types and ours.
// Converts and copies; no value is rounded on the way.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::model {

/// nullopt for types that have no parity dtype (quantised, bits, opaque).
[[nodiscard]] std::optional<tensor::DType> dtype_of(at::ScalarType type);
[[nodiscard]] at::ScalarType scalar_type_of(tensor::DType dtype);

/// A CPU tensor over the host tensor's bytes, which it keeps alive. Never written to by callers:
/// clone before.
[[nodiscard]] at::Tensor to_torch(const tensor::HostTensor& tensor);
/// Contiguous copy in host memory.
[[nodiscard]] tensor::HostTensor to_host(const at::Tensor& tensor);

/// Same dtype, shape and bytes, wherever both are.
[[nodiscard]] bool same_bits(const at::Tensor& one, const at::Tensor& other);

struct Cast;

/// Tensors inside move to `device` and are cast; structure is kept.
[[nodiscard]] c10::IValue to_ivalue(const tensor::Value& value, const c10::Device& device,
                                    const Cast& cast);

}  // namespace parity::model
