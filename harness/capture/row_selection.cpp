#include "capture/row_selection.h"

#include <algorithm>

#include "error/error.h"

namespace parity::capture {

std::int64_t row_count(const tensor::Shape& shape) {
  const std::uint64_t elements = tensor::element_count(shape);
  if (elements == 0) return 0;
  return shape.empty() ? 1 : static_cast<std::int64_t>(elements) / shape.back();
}

std::vector<std::byte> select_rows(const tensor::TensorView& value,
                                   const std::vector<std::int64_t>& rows) {
  const std::int64_t count = row_count(value.shape);
  const std::size_t row_bytes =
      count == 0 ? 0 : value.bytes.size() / static_cast<std::size_t>(count);
  std::vector<std::byte> selected(rows.size() * row_bytes);
  auto out = selected.begin();
  for (const std::int64_t row : rows) {
    PARITY_CHECK(row >= 0 && row < count);
    const auto bytes = value.bytes.subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes);
    out = std::copy(bytes.begin(), bytes.end(), out);
  }
  return selected;
}

}  // namespace parity::capture
