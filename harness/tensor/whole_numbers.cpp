#include "tensor/whole_numbers.h"

#include <cstring>

namespace parity::tensor {
namespace {

template <typename T>
std::vector<std::int64_t> widened(std::span<const std::byte> bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  if (!typed.empty()) std::memcpy(typed.data(), bytes.data(), bytes.size());
  return {typed.begin(), typed.end()};
}

}  // namespace

std::optional<std::vector<std::int64_t>> whole_numbers(const HostTensor& tensor) {
  switch (tensor.dtype()) {
    case DType::int64:
      return widened<std::int64_t>(tensor.bytes());
    case DType::int32:
      return widened<std::int32_t>(tensor.bytes());
    case DType::uint8:
    case DType::boolean:
      return widened<std::uint8_t>(tensor.bytes());
    default:
      return std::nullopt;
  }
}

}  // namespace parity::tensor
