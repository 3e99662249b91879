// Counting and numbering of elements. Shapes come from files, so every product is guarded against
// overflow.
#include "tensor/shape.h"

#include "error/error.h"

namespace parity::tensor {

std::uint64_t element_count(const Shape& shape) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;
  std::uint64_t count = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) {
      throw Error(ErrorKind::incompatible,
                  "a tensor has the negative size " + std::to_string(size));
    }
    if (size == 0) {
      empty = true;
      continue;
    }
    if (count > kLimit / static_cast<std::uint64_t>(size)) {
      throw Error(ErrorKind::incompatible, "a tensor has more than 2^62 elements");
    }
    count *= static_cast<std::uint64_t>(size);
  }
  return empty ? 0 : count;
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(size);
  }
  return text;
}

std::vector<std::int64_t> unravel(std::uint64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto size = static_cast<std::uint64_t>(shape[axis]);
    PARITY_CHECK(size > 0);
    index[axis] = static_cast<std::int64_t>(flat % size);
    flat /= size;
  }
  return index;
}

}  // namespace parity::tensor
