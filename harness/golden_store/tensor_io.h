// Reads and writes tensors and the groups they live in. The reading side trusts nothing: link kind,
// layout, filters, type, shape and stored size are checked before memory is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <H5Cpp.h>

#include "golden_store/hdf5_guard.h"
#include "run/compression.h"
#include "tensor/host_tensor.h"

namespace parity::golden_store {

inline constexpr std::size_t kMaxRank = H5S_MAX_RANK;
inline constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 20U;

/// "000042": links are numbered, names live in index columns where every byte survives.
[[nodiscard]] std::string numbered(std::size_t number);

/// Group `name` of `parent`, without times, so that equal recordings give equal files.
[[nodiscard]] H5::Group create_group(const H5::Group& parent, const std::string& name);

/// Writes `bytes` as they are. `compression` is used where there is something to compress.
void write_tensor(const H5::Group& group, const std::string& name, const tensor::TensorView& tensor,
                  std::optional<run::Compression> compression);

/// Reads back what write_tensor() wrote to a file that is still open for writing.
[[nodiscard]] tensor::HostTensor read_written_tensor(const H5::Group& group,
                                                     const std::string& name, tensor::DType dtype,
                                                     const tensor::Shape& shape);

/// Writes a plain dataset of any type.
void write_plain(const H5::Group& group, const std::string& name, const H5::DataType& type,
                 const std::vector<hsize_t>& dimensions, std::span<const std::byte> bytes);

/// Opens a group reached by a hard link; Malformed otherwise.
[[nodiscard]] H5::Group open_group(const H5::Group& parent, const std::string& name);

/// An opened dataset whose bytes lie in the file itself, with nothing but shuffle, deflate
/// and zstd before them.
class CheckedDataSet {
 public:
  /// `file_bytes` bounds what an uncompressed dataset can hold. `where` names the dataset in
  /// messages.
  CheckedDataSet(const H5::Group& group, const std::string& name, std::uint64_t file_bytes,
                 std::string where);

  [[nodiscard]] const tensor::Shape& shape() const { return shape_; }
  [[nodiscard]] const H5::DataSet& handle() const { return dataset_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// Size of all elements, proved to be in the file (or to be what its compressed bytes can expand
  /// to).
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// Where the bytes begin in the file; nullopt when they are packed, or none.
  [[nodiscard]] std::optional<std::uint64_t> plain_offset() const;
  /// Reads all bytes as stored. `type` has to be the dataset's own.
  void read_into(std::span<std::byte> bytes, const H5::DataType& type) const;

 private:
  void check_stored_size(std::uint64_t file_bytes);
  void check_chunks(const H5::DSetCreatPropList& properties) const;

  std::string where_;
  H5::DataSet dataset_;
  tensor::Shape shape_;
  std::optional<run::Packer> packer_;  ///< nullopt: in one piece, as it is
  std::uint64_t size_bytes_ = 0;
};

/// Reads a tensor whose stored type is that of `dtype`.
[[nodiscard]] tensor::HostTensor read_tensor(const CheckedDataSet& dataset, tensor::DType dtype);

}  // namespace parity::golden_store
