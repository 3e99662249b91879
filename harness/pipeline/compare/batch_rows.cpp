#include "pipeline/compare/batch_rows.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parity::pipeline {
namespace {

using tensor::HostTensor;
using tensor::Shape;
using tensor::Value;

/// `inputs` with every tensor in it replaced.
Value with_tensors(const Value& inputs,
                   const std::function<HostTensor(const HostTensor&)>& change) {
  Value changed = inputs;
  if (auto* tensor = std::get_if<HostTensor>(&changed.data)) *tensor = change(*tensor);
  if (auto* list = std::get_if<tensor::ValueList>(&changed.data))
    for (Value& item : list->items) item = with_tensors(item, change);
  if (auto* tuple = std::get_if<tensor::ValueTuple>(&changed.data))
    for (Value& item : tuple->items) item = with_tensors(item, change);
  if (auto* dict = std::get_if<tensor::ValueDict>(&changed.data))
    for (auto& [key, item] : dict->items) item = with_tensors(item, change);
  return changed;
}

/// Block number `block` of `count` equal ones along `axis`.
HostTensor block_of(const tensor::TensorView& whole, std::size_t axis, std::int64_t count,
                    std::int64_t block) {
  Shape shape = whole.shape;
  shape[axis] /= count;
  const auto size_of = [&](std::size_t first, std::size_t last) {
    std::size_t size = 1;
    for (std::size_t i = first; i < last; ++i) size *= static_cast<std::size_t>(shape[i]);
    return size;
  };
  const std::size_t outer = size_of(0, axis);
  const std::size_t block_bytes =
      size_of(axis, shape.size()) * tensor::size_bytes(whole.dtype);  // contiguous per outer index
  std::vector<std::byte> bytes;
  bytes.reserve(outer * block_bytes);
  for (std::size_t i = 0; i < outer; ++i) {
    const std::size_t begin =
        (i * static_cast<std::size_t>(count) + static_cast<std::size_t>(block)) * block_bytes;
    const auto part = whole.bytes.subspan(begin, block_bytes);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return {whole.dtype, std::move(shape), std::move(bytes)};
}

bool has_rows(const HostTensor& tensor, std::int64_t batch) {
  return !tensor.shape().empty() && tensor.shape().front() == batch;
}

/// A mask has two at most.
bool has_three_values(const HostTensor& tensor) {
  const std::size_t size = tensor::size_bytes(tensor.dtype());
  std::set<std::string_view> seen;
  const auto* data = reinterpret_cast<const char*>(tensor.bytes().data());
  for (std::size_t at = 0; at < tensor.bytes().size() && seen.size() < 3; at += size)
    seen.insert(std::string_view(data + at, size));
  return seen.size() >= 3;
}

}  // namespace

std::optional<std::int64_t> batch_size(const Value& inputs) {
  std::optional<std::int64_t> size;
  (void)with_tensors(inputs, [&](const HostTensor& tensor) {
    if (!size && !tensor.shape().empty()) size = tensor.shape().front();
    return tensor;
  });
  return size;
}

Value one_row(const Value& inputs, std::int64_t batch, std::int64_t row) {
  return with_tensors(inputs, [&](const HostTensor& tensor) {
    return has_rows(tensor, batch) ? block_of(tensor.view(), 0, batch, row) : tensor;
  });
}

Value with_neighbours(const Value& inputs, std::int64_t rows) {
  bool moved = false;
  return with_tensors(inputs, [&](const HostTensor& tensor) {
    if (!has_rows(tensor, 1)) return tensor;
    const bool moves = !moved && has_three_values(tensor);
    moved = moved || moves;
    Shape shape = tensor.shape();
    shape.front() = rows;
    std::vector<std::byte> bytes;
    bytes.reserve(tensor.bytes().size() * static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::size_t places = moves ? static_cast<std::size_t>(row) : 0;
      const std::size_t offset = places * tensor::size_bytes(tensor.dtype()) %
                                 std::max<std::size_t>(1, tensor.bytes().size());
      const std::span<const std::byte> all = tensor.bytes();
      const auto head = all.subspan(offset);
      const auto tail = all.first(offset);
      bytes.insert(bytes.end(), head.begin(), head.end());
      bytes.insert(bytes.end(), tail.begin(), tail.end());
    }
    return HostTensor(tensor.dtype(), std::move(shape), std::move(bytes));
  });
}

std::optional<HostTensor> row_of_batch(const tensor::TensorView& tap, const Shape& alone,
                                       std::int64_t batch, std::int64_t row) {
  if (tap.shape.size() != alone.size()) return std::nullopt;
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (tap.shape[i] == alone[i]) continue;
    if (axis || tap.shape[i] != batch * alone[i]) return std::nullopt;
    axis = i;
  }
  if (!axis) {
    return HostTensor(tap.dtype, tap.shape,
                      std::vector<std::byte>(tap.bytes.begin(), tap.bytes.end()));
  }
  return block_of(tap, *axis, batch, row);
}

}  // namespace parity::pipeline
