#include "fault/element_moves.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "error/error.h"
#include "fault/value_changes.h"

namespace parity::fault {

Rows rows_of(const tensor::Shape& shape) {
  const auto elements = static_cast<std::size_t>(tensor::element_count(shape));
  if (shape.empty()) return {1, 1};
  if (elements == 0) return {0, 0};
  const auto width = static_cast<std::size_t>(shape.back());
  return {elements / width, width};
}

tensor::HostTensor gathered(const tensor::TensorView& tensor,
                            const std::function<std::size_t(std::size_t)>& source) {
  const std::size_t size = tensor::size_bytes(tensor.dtype);
  const std::size_t count = tensor.bytes.size() / size;
  std::vector<std::byte> bytes(tensor.bytes.size());
  for (std::size_t place = 0; place < count; ++place) {
    const std::size_t from = source(place);
    PARITY_CHECK(from < count);
    std::memcpy(bytes.data() + place * size, tensor.bytes.data() + from * size, size);
  }
  return {tensor.dtype, tensor.shape, std::move(bytes)};
}

tensor::HostTensor shifted(const tensor::TensorView& tensor) {
  const std::size_t count = tensor.bytes.size() / tensor::size_bytes(tensor.dtype);
  return gathered(tensor, [&](std::size_t place) { return place == 0 ? count - 1 : place - 1; });
}

tensor::HostTensor rows_shifted(const tensor::TensorView& tensor) {
  const Rows rows = rows_of(tensor.shape);
  return gathered(tensor, [&](std::size_t place) {
    return place < rows.width ? place + (rows.count - 1) * rows.width : place - rows.width;
  });
}

// Which of the rows is the first makes no difference.
tensor::HostTensor rows_swapped(const tensor::TensorView& tensor, std::size_t one,
                                std::size_t other) {
  const Rows rows = rows_of(tensor.shape);
  return gathered(tensor, [&](std::size_t place) {
    const std::size_t row = place / rows.width;
    const std::size_t from = row == one ? other : row == other ? one : row;
    return from * rows.width + place % rows.width;
  });
}

tensor::HostTensor permuted(const tensor::TensorView& tensor) {
  const std::size_t count = tensor.bytes.size() / tensor::size_bytes(tensor.dtype);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[mixed(left) % left]);
  return gathered(tensor, [&](std::size_t place) { return order[place]; });
}

tensor::HostTensor transposed(const tensor::TensorView& tensor) {
  PARITY_CHECK(tensor.shape.size() >= 2);
  const auto columns = static_cast<std::size_t>(tensor.shape.back());
  const auto rows = static_cast<std::size_t>(tensor.shape[tensor.shape.size() - 2]);
  return gathered(tensor, [&](std::size_t place) {
    const std::size_t matrix = place / (rows * columns);
    const std::size_t inside = place % (rows * columns);
    // Read row by row as the exchanged matrix lies in memory.
    return matrix * rows * columns + inside % rows * columns + inside / rows;
  });
}

}  // namespace parity::fault
