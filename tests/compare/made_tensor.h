// Tensors that tests make from values or bit patterns.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "compare/compare_tensors.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

template <typename T>
tensor::HostTensor made_tensor(tensor::DType dtype, tensor::Shape shape,
                               const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return tensor::HostTensor(dtype, std::move(shape), std::move(bytes));
}

template <typename T>
tensor::HostTensor made_vector(tensor::DType dtype, const std::vector<T>& values) {
  return made_tensor(dtype, {static_cast<std::int64_t>(values.size())}, values);
}

inline tensor::HostTensor floats(tensor::Shape shape, const std::vector<float>& values) {
  return made_tensor(tensor::DType::float32, std::move(shape), values);
}

/// Nearest bfloat16, ties to even; for finite values.
inline std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

inline TensorComparison compare(const tensor::HostTensor& reference,
                                const tensor::HostTensor& candidate,
                                const CompareOptions& options = {}) {
  return compare_tensors(Reference{reference.view()}, Candidate{candidate.view()}, options);
}

}  // namespace parity::compare
