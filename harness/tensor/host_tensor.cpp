// Construction of host tensors; the size of the bytes is checked once, here, so that no reader has
// to.
#include "tensor/host_tensor.h"

#include <utility>

#include "error/error.h"

namespace parity::tensor {

HostTensor::HostTensor(DType dtype, Shape shape, std::vector<std::byte> bytes)
    : dtype_(dtype), shape_(std::move(shape)) {
  auto owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *owned;
  owner_ = std::move(owned);
  PARITY_CHECK(bytes_.size() == element_count(shape_) * size_bytes(dtype_));
}

HostTensor::HostTensor(DType dtype, Shape shape, std::span<const std::byte> bytes,
                       std::shared_ptr<const void> owner)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(bytes), owner_(std::move(owner)) {
  PARITY_CHECK(bytes_.size() == element_count(shape_) * size_bytes(dtype_));
}

}  // namespace parity::tensor
