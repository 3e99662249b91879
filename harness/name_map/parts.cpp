#include "name_map/parts.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error/error.h"

namespace parity::name_map {
namespace {

std::int64_t width_of(const tensor::Shape& shape) { return shape.empty() ? 1 : shape.back(); }

std::uint64_t rows_of(const tensor::Shape& shape) {
  const auto width = static_cast<std::uint64_t>(width_of(shape));
  return width == 0 ? 0 : tensor::element_count(shape) / width;
}

/// How a fused row is laid out, in bytes.
struct Layout {
  std::size_t blocks = 0;           ///< rows times groups
  std::vector<std::size_t> shares;  ///< of each part in a block
  std::size_t block_bytes = 0;
};

Layout layout_of(std::uint64_t rows, const std::vector<std::int64_t>& widths, std::int64_t groups,
                 std::size_t element_bytes) {
  Layout layout;
  layout.blocks = static_cast<std::size_t>(rows) * static_cast<std::size_t>(groups);
  for (const std::int64_t width : widths)
    layout.shares.push_back(static_cast<std::size_t>(width / groups) * element_bytes);
  layout.block_bytes = std::accumulate(layout.shares.begin(), layout.shares.end(), std::size_t{0});
  return layout;
}

tensor::Shape with_width(tensor::Shape shape, std::int64_t width) {
  if (shape.empty()) return {width};
  shape.back() = width;
  return shape;
}

/// "64, 16, 32 cannot be cut into 5 equal shares"; empty where each can.
std::string uneven(const std::vector<std::int64_t>& widths, std::int64_t groups) {
  const bool even = std::all_of(widths.begin(), widths.end(),
                                [groups](std::int64_t width) { return width % groups == 0; });
  return even ? std::string{}
              : fmt::format("parts of {} cannot be cut into {} equal shares each",
                            fmt::join(widths, ", "), groups);
}

}  // namespace

// The whole before its parts, as the sentence has them.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string cannot_cut(const tensor::Shape& shape, const std::vector<std::int64_t>& widths,
                       std::int64_t groups) {
  const std::int64_t sum = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
  if (shape.empty() || sum != shape.back()) {
    return fmt::format("its last dimension is {}, and the parts' are {}",
                       shape.empty() ? 0 : shape.back(), fmt::join(widths, ", "));
  }
  return uneven(widths, groups);
}

std::vector<tensor::HostTensor> cut(const tensor::TensorView& whole,
                                    const std::vector<std::int64_t>& widths, std::int64_t groups) {
  PARITY_CHECK(cannot_cut(whole.shape, widths, groups).empty());
  const Layout layout =
      layout_of(rows_of(whole.shape), widths, groups, tensor::size_bytes(whole.dtype));
  std::vector<tensor::HostTensor> parts;
  std::size_t before = 0;
  for (std::size_t part = 0; part < widths.size(); ++part) {
    const std::size_t share = layout.shares[part];
    std::vector<std::byte> bytes(layout.blocks * share);
    for (std::size_t block = 0; share > 0 && block < layout.blocks; ++block) {
      std::memcpy(bytes.data() + block * share,
                  whole.bytes.data() + block * layout.block_bytes + before, share);
    }
    parts.emplace_back(whole.dtype, with_width(whole.shape, widths[part]), std::move(bytes));
    before += share;
  }
  return parts;
}

std::string cannot_join(const std::vector<tensor::HostTensor>& parts, std::int64_t groups) {
  PARITY_CHECK(!parts.empty());
  std::vector<std::int64_t> widths;
  for (const tensor::HostTensor& part : parts) {
    const tensor::HostTensor& first = parts.front();
    if (part.dtype() != first.dtype()) {
      return fmt::format("its parts are of {} and {}", tensor::name(first.dtype()),
                         tensor::name(part.dtype()));
    }
    if (part.shape().empty() || with_width(part.shape(), 0) != with_width(first.shape(), 0)) {
      return fmt::format("its parts have the shapes {} and {}", tensor::to_string(first.shape()),
                         tensor::to_string(part.shape()));
    }
    widths.push_back(part.shape().back());
  }
  return uneven(widths, groups);
}

tensor::HostTensor join(const std::vector<tensor::HostTensor>& parts, std::int64_t groups) {
  PARITY_CHECK(cannot_join(parts, groups).empty());
  std::vector<std::int64_t> widths;
  widths.reserve(parts.size());
  for (const tensor::HostTensor& part : parts) widths.push_back(part.shape().back());
  const tensor::Shape whole = with_width(
      parts.front().shape(), std::accumulate(widths.begin(), widths.end(), std::int64_t{0}));
  const Layout layout =
      layout_of(rows_of(whole), widths, groups, tensor::size_bytes(parts.front().dtype()));
  std::vector<std::byte> bytes(layout.blocks * layout.block_bytes);
  std::size_t before = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t share = layout.shares[part];
    for (std::size_t block = 0; share > 0 && block < layout.blocks; ++block) {
      std::memcpy(bytes.data() + block * layout.block_bytes + before,
                  parts[part].bytes().data() + block * share, share);
    }
    before += share;
  }
  return {parts.front().dtype(), whole, std::move(bytes)};
}

// Symmetric: swapping the sides changes nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool same_rows(const tensor::Shape& one, const tensor::Shape& other) {
  return width_of(one) == width_of(other) &&
         tensor::element_count(one) == tensor::element_count(other);
}

}  // namespace parity::name_map
