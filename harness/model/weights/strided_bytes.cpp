#include "model/weights/strided_bytes.h"

#include <cstring>

#include "error/error.h"
#include "tensor/shape.h"

namespace parity::model {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

}  // namespace

bool is_row_major(const StoredTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 0) return true;
    // The stride of a dimension of size 1 is never used.
    if (tensor.shape[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

void for_each_piece(const StoredTensor& tensor,
                    const std::function<void(std::span<const std::byte>)>& take) {
  const std::uint64_t elements = tensor::element_count(tensor.shape);
  const std::size_t size = tensor::size_bytes(tensor.dtype);
  if (elements == 0) return;
  if (is_row_major(tensor)) {
    take(tensor.storage.first(elements * size));
    return;
  }
  const std::size_t last = tensor.shape.size() - 1;
  const auto row = static_cast<std::uint64_t>(tensor.shape[last]);
  const std::uint64_t step = static_cast<std::uint64_t>(tensor.strides[last]) * size;
  std::vector<std::int64_t> index(tensor.shape.size(), 0);
  std::vector<std::byte> piece;
  piece.reserve(kPieceBytes);
  for (std::uint64_t done = 0; done < elements; done += row) {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < last; ++i) {
      at += static_cast<std::uint64_t>(index[i] * tensor.strides[i]) * size;
    }
    for (std::uint64_t i = 0; i < row; ++i, at += step) {
      if (piece.size() + size > kPieceBytes) {
        take(piece);
        piece.clear();
      }
      const auto element = tensor.storage.subspan(at, size);
      piece.insert(piece.end(), element.begin(), element.end());
    }
    for (std::size_t i = last; i-- > 0;) {
      if (++index[i] < tensor.shape[i]) break;
      index[i] = 0;
    }
  }
  take(piece);
}

}  // namespace parity::model
