#include "golden_store/tensor_io.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "golden_store/hdf5_types.h"
#include "golden_store/packed_chunks.h"
#include "golden_store/packing.h"
#include "golden_store/tap_memory.h"
#include "golden_store/zstd_filter.h"
#include "tensor/shape.h"

namespace parity::golden_store {
namespace {

constexpr std::uint64_t kWorthCompressingBytes = 1024;
constexpr const char* kFormatAttribute = "float8_format";

H5::DataSpace space_of(const std::vector<hsize_t>& dimensions) {
  if (dimensions.empty()) return H5::DataSpace(H5S_SCALAR);
  return H5::DataSpace(static_cast<int>(dimensions.size()), dimensions.data());
}

void write_format_attribute(const H5::DataSet& dataset, tensor::DType dtype) {
  const std::string text(tensor::name(dtype));
  const H5::StrType type(text_type(text.size() + 1));
  const H5::DataSpace space(H5S_SCALAR);
  H5::Attribute attribute(dataset.createAttribute(kFormatAttribute, type, space));
  attribute.write(type, text.c_str());
  attribute.close();
}

H5::DataSet create_dataset(const H5::Group& group, const std::string& name,
                           const H5::DataType& type, const std::vector<hsize_t>& dimensions,
                           const std::optional<run::Compression>& compression) {
  const H5::DataSpace space(space_of(dimensions));
  const H5::DSetCreatPropList properties;
  checked(H5Pset_obj_track_times(properties.getId(), false), "H5Pset_obj_track_times");
  if (compression) {
    const Cut cut = cut_of(dimensions, type.getSize());
    properties.setChunk(static_cast<int>(cut.piece.size()), cut.piece.data());
    properties.setShuffle();
    const auto level = static_cast<unsigned>(compression->level);
    if (compression->packer == run::Packer::gzip) {
      properties.setDeflate(level);
    } else {
      properties.setFilter(kZstdFilter, 0, 1, &level);
    }
  } else {
    properties.setFillTime(H5D_FILL_TIME_NEVER);
  }
  return group.createDataSet(name, type, space, properties);
}

std::string filter_name(H5Z_filter_t id, const std::string& stored) {
  static constexpr std::array<std::pair<H5Z_filter_t, const char*>, 7> kKnown = {
      {{H5Z_FILTER_FLETCHER32, "fletcher32"},
       {H5Z_FILTER_SZIP, "szip"},
       {H5Z_FILTER_NBIT, "nbit"},
       {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
       {32000, "lzf"},
       {32001, "blosc"},
       {32004, "lz4"}}};
  const auto* found = std::find_if(kKnown.begin(), kKnown.end(),
                                   [id](const auto& known) { return known.first == id; });
  if (found != kKnown.end()) return fmt::format("{} (filter {})", found->second, id);
  return fmt::format("filter {} {}", id, quoted(stored));
}

/// What a dataset in pieces passes: shuffle and a packer, as our writers do it, and nothing else.
run::Packer packer_of(const H5::DSetCreatPropList& properties, const std::string& where) {
  std::array<H5Z_filter_t, 2> filters{};
  const int count = properties.getNfilters();
  for (int i = 0; i < count; ++i) {
    std::array<char, 64> stored{};
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t value_count = 0;
    const H5Z_filter_t id = properties.getFilter(i, flags, value_count, nullptr, stored.size() - 1,
                                                 stored.data(), config);
    if (id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE && id != kZstdFilter) {
      throw Malformed(
          fmt::format("{} is stored with {}, and a golden only uses shuffle, deflate and zstd",
                      where, filter_name(id, stored.data())));
    }
    if (i < 2) filters.at(static_cast<std::size_t>(i)) = id;
  }
  if (count != 2 || filters[0] != H5Z_FILTER_SHUFFLE || filters[1] == H5Z_FILTER_SHUFFLE) {
    throw Malformed(fmt::format(
        "{} is cut into pieces and does not pass shuffle and then deflate or zstd", where));
  }
  return filters[1] == kZstdFilter ? run::Packer::zstd : run::Packer::gzip;
}

/// Soft and external links could lead out of the checked file.
void check_hard_link(const H5::Group& parent, const std::string& name, const std::string& where) {
  if (H5Lexists(parent.getId(), name.c_str(), H5P_DEFAULT) <= 0)
    throw Malformed(fmt::format("{} is missing", where));
  H5L_info_t info{};
  checked(H5Lget_info(parent.getId(), name.c_str(), &info, H5P_DEFAULT), "H5Lget_info");
  if (info.type != H5L_TYPE_HARD)
    throw Malformed(fmt::format("{} is a link to somewhere else", where));
}

tensor::Shape shape_of(const H5::DataSet& dataset, const std::string& where) {
  const H5::DataSpace space = dataset.getSpace();
  const H5S_class_t kind = space.getSimpleExtentType();
  if (kind == H5S_SCALAR) return {};
  if (kind != H5S_SIMPLE) throw Malformed(fmt::format("{} has no shape", where));
  const int rank = space.getSimpleExtentNdims();
  if (rank < 0 || static_cast<std::size_t>(rank) > kMaxRank)
    throw Malformed(fmt::format("{} has {} dimensions", where, rank));
  std::vector<hsize_t> dimensions(static_cast<std::size_t>(rank));
  space.getSimpleExtentDims(dimensions.data());
  tensor::Shape shape;
  for (const hsize_t size : dimensions) {
    if (size > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Malformed(fmt::format("{} has an impossible shape", where));
    }
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

/// Unlike tensor::element_count, blames the file.
std::uint64_t elements_of(const tensor::Shape& shape, const std::string& where) {
  try {
    return tensor::element_count(shape);
  } catch (const Error&) {
    throw Malformed(fmt::format("{} has an impossible shape", where));
  }
}

H5::DataSet open_dataset(const H5::Group& group, const std::string& name,
                         const std::string& where) {
  check_hard_link(group, name, where);
  return group.openDataSet(name);
}

/// Moves `at` to the next chunk in row-major order; false after the last.
bool advance(std::vector<hsize_t>& at, const std::vector<hsize_t>& chunk,
             const tensor::Shape& shape) {
  for (std::size_t axis = at.size(); axis-- > 0;) {
    at[axis] += chunk[axis];
    if (at[axis] < static_cast<hsize_t>(shape[axis])) return true;
    at[axis] = 0;
  }
  return false;
}

}  // namespace

std::string numbered(std::size_t number) { return fmt::format("{:06}", number); }

H5::Group create_group(const H5::Group& parent, const std::string& name) {
  const hid_t properties = checked(H5Pcreate(H5P_GROUP_CREATE), "H5Pcreate");
  checked(H5Pset_obj_track_times(properties, false), "H5Pset_obj_track_times");
  const hid_t id = checked(
      H5Gcreate2(parent.getId(), name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), "H5Gcreate2");
  checked(H5Pclose(properties), "H5Pclose");
  H5::Group group(id);  // takes a reference of its own
  checked(H5Idec_ref(id), "H5Idec_ref");
  return group;
}

void write_tensor(const H5::Group& group, const std::string& name, const tensor::TensorView& tensor,
                  std::optional<run::Compression> compression) {
  const std::vector<hsize_t> dimensions(tensor.shape.begin(), tensor.shape.end());
  const H5::DataType& type = file_type(tensor.dtype);
  if (dimensions.empty() || tensor.bytes.size() < kWorthCompressingBytes) compression.reset();
  if (compression && compression->packer == run::Packer::zstd) register_zstd_filter();
  H5::DataSet dataset(create_dataset(group, name, type, dimensions, compression));
  if (needs_format_attribute(tensor.dtype)) write_format_attribute(dataset, tensor.dtype);
  if (compression) {
    write_packed(dataset, cut_of(dimensions, type.getSize()), tensor.bytes, *compression);
  } else if (!tensor.bytes.empty()) {
    dataset.write(static_cast<const void*>(tensor.bytes.data()), type);
  }
  dataset.close();
}

void write_plain(const H5::Group& group, const std::string& name, const H5::DataType& type,
                 const std::vector<hsize_t>& dimensions, std::span<const std::byte> bytes) {
  H5::DataSet dataset(create_dataset(group, name, type, dimensions, std::nullopt));
  if (!bytes.empty()) dataset.write(static_cast<const void*>(bytes.data()), type);
  dataset.close();
}

H5::Group open_group(const H5::Group& parent, const std::string& name) {
  check_hard_link(parent, name, fmt::format("group {}", quoted(name)));
  return parent.openGroup(name);
}

CheckedDataSet::CheckedDataSet(const H5::Group& group, const std::string& name,
                               std::uint64_t file_bytes, std::string where)
    : where_(std::move(where)),
      dataset_(open_dataset(group, name, where_)),
      shape_(shape_of(dataset_, where_)) {
  const std::uint64_t elements = elements_of(shape_, where_);
  const std::uint64_t element_bytes = dataset_.getDataType().getSize();
  if (element_bytes == 0 || elements > (std::uint64_t{1} << 62U) / element_bytes) {
    throw Malformed(fmt::format("{} has an impossible size", where_));
  }
  size_bytes_ = elements * element_bytes;
  check_stored_size(file_bytes);
}

void CheckedDataSet::check_stored_size(std::uint64_t file_bytes) {
  const H5::DSetCreatPropList properties = dataset_.getCreatePlist();
  if (properties.getExternalCount() != 0)
    throw Malformed(fmt::format("{} keeps its values in another file", where_));
  const H5D_layout_t layout = properties.getLayout();
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
    throw Malformed(fmt::format("{} is stored in a layout that goldens do not use", where_));
  }
  if (layout == H5D_CHUNKED) packer_ = packer_of(properties, where_);
  if (size_bytes_ == 0) return;
  const std::uint64_t stored_bytes = dataset_.getStorageSize();
  if (layout == H5D_CHUNKED) {
    if (stored_bytes > file_bytes || size_bytes_ / kMaxExpansion > stored_bytes) {
      throw Malformed(fmt::format("{} claims more values than it stores", where_));
    }
    check_chunks(properties);
    return;
  }
  // Values that were never written have no address; the library would make up as many as the shape
  // says.
  const haddr_t offset = H5Dget_offset(dataset_.getId());
  if (offset == HADDR_UNDEF || stored_bytes != size_bytes_ || size_bytes_ > file_bytes ||
      offset > file_bytes - size_bytes_) {
    throw Malformed(fmt::format("{} claims more values than it stores", where_));
  }
}

std::optional<std::uint64_t> CheckedDataSet::plain_offset() const {
  if (packer_ || size_bytes_ == 0) return std::nullopt;
  return H5Dget_offset(dataset_.getId());
}

void CheckedDataSet::check_chunks(const H5::DSetCreatPropList& properties) const {
  const Cut cut = cut_of({shape_.begin(), shape_.end()}, dataset_.getDataType().getSize());
  std::vector<hsize_t> chunk(shape_.size());
  const int rank = properties.getChunk(static_cast<int>(chunk.size()), chunk.data());
  if (static_cast<std::size_t>(rank) != shape_.size() || chunk != cut.piece)
    throw Malformed(fmt::format("{} is cut into pieces that goldens do not use", where_));
  std::uint64_t chunk_bytes = cut.element_bytes;
  for (const hsize_t size : chunk) chunk_bytes *= size;
  const std::uint64_t largest_bytes =
      chunk_bytes + chunk_bytes / 64 + 1024;  // what cannot be compressed
  std::vector<hsize_t> at(chunk.size(), 0);
  do {
    hsize_t stored_bytes = 0;
    const bool found = H5Dget_chunk_storage_size(dataset_.getId(), at.data(), &stored_bytes) >= 0;
    if (!found || stored_bytes == 0 || stored_bytes > largest_bytes) {
      throw Malformed(fmt::format("{} has a missing or oversized piece", where_));
    }
  } while (advance(at, chunk, shape_));
}

void CheckedDataSet::read_into(std::span<std::byte> bytes, const H5::DataType& type) const {
  PARITY_CHECK(bytes.size() == size_bytes_);
  if (!(dataset_.getDataType() == type))
    throw Malformed(fmt::format("{} has an unexpected element type", where_));
  if (bytes.empty()) return;
  if (!packer_) {
    dataset_.read(static_cast<void*>(bytes.data()), type);
    return;
  }
  const Cut cut = cut_of({shape_.begin(), shape_.end()}, type.getSize());
  if (!read_packed(dataset_, cut, *packer_, bytes))
    throw Malformed(fmt::format("{} has a piece that cannot be unpacked", where_));
}

tensor::HostTensor read_written_tensor(const H5::Group& group, const std::string& name,
                                       tensor::DType dtype, const tensor::Shape& shape) {
  const std::size_t size_bytes = tensor::element_count(shape) * tensor::size_bytes(dtype);
  const std::shared_ptr<std::byte> bytes = uninitialised(size_bytes);
  const std::span<std::byte> span(bytes.get(), size_bytes);
  if (!span.empty())
    group.openDataSet(name).read(static_cast<void*>(span.data()), file_type(dtype));
  return {dtype, shape, span, bytes};
}

tensor::HostTensor read_tensor(const CheckedDataSet& dataset, tensor::DType dtype) {
  const H5::DataType& type = file_type(dtype);
  if (!(dataset.handle().getDataType() == type)) {
    throw Malformed(fmt::format("{} is not stored as {}", dataset.where(), tensor::name(dtype)));
  }
  const std::shared_ptr<std::byte> bytes = uninitialised(dataset.size_bytes());
  const std::span<std::byte> span(bytes.get(), dataset.size_bytes());
  dataset.read_into(span, type);
  return {dtype, dataset.shape(), span, bytes};
}

}  // namespace parity::golden_store
