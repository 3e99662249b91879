// Tensors made of a few numbers, for tests.
#pragma once

#include <span>
#include <vector>

#include "fault/numbers.h"
#include "tensor/host_tensor.h"

namespace parity::test {

inline tensor::HostTensor made(tensor::DType dtype, const tensor::Shape& shape,
                               const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  const bool is_complex = tensor::is_complex(dtype);
  tensor::Shape doubles = {static_cast<std::int64_t>(values.size() / (is_complex ? 2 : 1))};
  const tensor::HostTensor wide(is_complex ? tensor::DType::complex128 : tensor::DType::float64,
                                doubles, std::vector<std::byte>(bytes.begin(), bytes.end()));
  const tensor::HostTensor narrow = fault::converted(wide.view(), dtype);
  return {dtype, shape, std::vector<std::byte>(narrow.bytes().begin(), narrow.bytes().end())};
}

inline std::vector<double> numbers_of(const tensor::HostTensor& tensor) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < fault::number_count(tensor.view()); ++i)
    numbers.push_back(fault::number_at(tensor.view(), i));
  return numbers;
}

}  // namespace parity::test
