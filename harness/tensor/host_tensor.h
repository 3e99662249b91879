// Tensors in host memory: a non-owning view and an owning value, both contiguous and row-major.
// Knows no device and no arithmetic.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::tensor {

/// Bytes of a contiguous row-major tensor that someone else owns.
/// Invariant: bytes.size() == element_count(shape) * size_bytes(dtype).
struct TensorView {
  DType dtype = DType::float32;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// A contiguous row-major tensor; copies share the bytes, which nobody changes after construction.
class HostTensor {
 public:
  HostTensor() : HostTensor(DType::float32, {0}, {}) {}
  HostTensor(DType dtype, Shape shape, std::vector<std::byte> bytes);
  /// Shares bytes whose lifetime `owner` holds (a mapped file, a torch storage).
  HostTensor(DType dtype, Shape shape, std::span<const std::byte> bytes,
             std::shared_ptr<const void> owner);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] TensorView view() const { return {dtype_, shape_, bytes_}; }

 private:
  DType dtype_;
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace parity::tensor
