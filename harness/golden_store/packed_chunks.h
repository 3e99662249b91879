// Tensors in pieces that several threads shuffle and pack, or unpack, at once, and that go to and
// from the file as they are: the HDF5 library would pack one piece after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <H5Cpp.h>

#include "run/compression.h"

namespace parity::golden_store {

/// How a tensor is cut: each piece is a run of its bytes in row-major order.
struct Cut {
  std::vector<hsize_t> shape;  ///< of the tensor
  std::vector<hsize_t> piece;  ///< largest block of trailing dimensions of kMaxChunkBytes at most;
                               ///< the next dimension outwards is cut
  std::size_t element_bytes = 0;
};

[[nodiscard]] Cut cut_of(std::vector<hsize_t> shape, std::size_t element_bytes);

/// Fills a dataset that was made with this cut, byte shuffle and the packer's filter. `bytes` is
/// the whole tensor.
void write_packed(const H5::DataSet& dataset, const Cut& cut, std::span<const std::byte> bytes,
                  const run::Compression& compression);

/// The other way round, for a dataset with this cut and these filters. False, with `bytes` in any
/// state, where a piece does not unpack to exactly what it stands for. The HDF5 library never
/// unpacks: it trusts that a piece has the size that the file says.
[[nodiscard]] bool read_packed(const H5::DataSet& dataset, const Cut& cut, run::Packer packer,
                               std::span<std::byte> bytes);

}  // namespace parity::golden_store
