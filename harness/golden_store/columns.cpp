#include "golden_store/columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "golden_store/hdf5_guard.h"
#include "golden_store/hdf5_types.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {

static_assert(std::endian::native == std::endian::little,
              "columns are written as they lie in memory");

namespace {

constexpr const char* kRankColumn = "rank";
constexpr const char* kShapeColumn = "shape";

void check_rows(const CheckedDataSet& dataset, std::size_t rank, std::size_t rows) {
  if (dataset.shape().size() != rank || static_cast<std::size_t>(dataset.shape()[0]) != rows) {
    throw Malformed(fmt::format("{} has the shape {} where {} rows are expected", dataset.where(),
                                tensor::to_string(dataset.shape()), rows));
  }
}

}  // namespace

void TableWriter::texts(const std::string& name, const std::vector<std::string>& values) const {
  std::size_t width = 1;
  for (const std::string& value : values) {
    if (!value.empty() && value.back() == '\0') {
      throw Malformed(fmt::format("the name {} ends in a zero byte, which the format cannot hold",
                                  quoted(value)));
    }
    width = std::max(width, value.size() + 1);
  }
  std::vector<std::byte> bytes(width * values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::memcpy(bytes.data() + row * width, values[row].data(), values[row].size());
  }
  const H5::StrType type(text_type(width));
  write_plain(group_, name, type, {values.size()}, bytes);
}

void TableWriter::integers(const std::string& name, const std::vector<std::int64_t>& values) const {
  write_plain(group_, name, file_type(tensor::DType::int64), {values.size()},
              std::as_bytes(std::span(values)));
}

void TableWriter::reals(const std::string& name, const std::vector<double>& values) const {
  write_plain(group_, name, file_type(tensor::DType::float64), {values.size()},
              std::as_bytes(std::span(values)));
}

void TableWriter::digests(const std::string& name,
                          const std::vector<tensor::Digest>& values) const {
  std::vector<std::string> hex(values.size());
  std::transform(values.begin(), values.end(), hex.begin(), tensor::to_hex);
  texts(name, hex);
}

void TableWriter::shapes(const std::vector<tensor::Shape>& values) const {
  std::vector<std::int64_t> ranks;
  std::size_t width = 1;
  for (const tensor::Shape& shape : values) {
    ranks.push_back(static_cast<std::int64_t>(shape.size()));
    width = std::max(width, shape.size());
  }
  std::vector<std::int64_t> padded(values.size() * width, 0);
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::copy(values[row].begin(), values[row].end(),
              padded.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  integers(kRankColumn, ranks);
  write_plain(group_, kShapeColumn, file_type(tensor::DType::int64), {values.size(), width},
              std::as_bytes(std::span(padded)));
}

TableReader::TableReader(const H5::Group& group, std::string where, const std::string& first_column,
                         std::uint64_t file_bytes)
    : group_(group), where_(std::move(where)), file_bytes_(file_bytes) {
  const CheckedDataSet first(group_, first_column, file_bytes_, place(first_column));
  if (first.shape().size() != 1) throw Malformed(fmt::format("{} is not a column", first.where()));
  rows_ = static_cast<std::size_t>(first.shape()[0]);
}

std::string TableReader::place(const std::string& name) const {
  return fmt::format("column {} of {}", name, where_);
}

std::vector<std::string> TableReader::texts(const std::string& name) const {
  const CheckedDataSet column(group_, name, file_bytes_, place(name));
  check_rows(column, 1, rows_);
  const H5::DataType stored = column.handle().getDataType();
  if (stored.getClass() != H5T_STRING || H5Tis_variable_str(stored.getId()) != 0 ||
      H5Tget_strpad(stored.getId()) != H5T_STR_NULLTERM) {
    throw Malformed(fmt::format("{} is not text of fixed width", column.where()));
  }
  std::vector<std::byte> bytes(column.size_bytes());
  column.read_into(bytes, stored);
  const std::size_t width = stored.getSize();
  std::vector<std::string> values;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::string value(reinterpret_cast<const char*>(bytes.data()) + row * width, width);
    value.erase(value.find_last_not_of('\0') + 1);
    values.push_back(std::move(value));
  }
  return values;
}

template <typename Number>
std::vector<Number> TableReader::numbers(const std::string& name, const H5::DataType& type,
                                         Length length) const {
  const CheckedDataSet column(group_, name, file_bytes_, place(name));
  const std::size_t count =
      column.shape().empty() ? 0 : static_cast<std::size_t>(column.shape()[0]);
  check_rows(column, 1, length == Length::same_rows ? rows_ : count);
  if (column.size_bytes() != count * sizeof(Number)) {
    throw Malformed(fmt::format("{} has an unexpected element type", column.where()));
  }
  std::vector<Number> values(count);
  column.read_into(std::as_writable_bytes(std::span(values)), type);
  return values;
}

std::vector<std::int64_t> TableReader::integers(const std::string& name) const {
  return numbers<std::int64_t>(name, file_type(tensor::DType::int64), Length::same_rows);
}

std::vector<std::int64_t> TableReader::free_integers(const std::string& name) const {
  return numbers<std::int64_t>(name, file_type(tensor::DType::int64), Length::any);
}

std::vector<double> TableReader::reals(const std::string& name) const {
  return numbers<double>(name, file_type(tensor::DType::float64), Length::same_rows);
}

std::vector<tensor::Digest> TableReader::digests(const std::string& name) const {
  std::vector<tensor::Digest> values;
  for (const std::string& hex : texts(name)) {
    const std::optional<tensor::Digest> digest = tensor::digest_from_hex(hex);
    if (!digest)
      throw Malformed(fmt::format("{} holds {}, which is no digest", place(name), quoted(hex)));
    values.push_back(*digest);
  }
  return values;
}

std::vector<tensor::Shape> TableReader::shapes() const {
  const std::vector<std::int64_t> ranks = integers(kRankColumn);
  const CheckedDataSet column(group_, kShapeColumn, file_bytes_, place(kShapeColumn));
  check_rows(column, 2, rows_);
  const std::int64_t width = column.shape()[1];
  if (column.size_bytes() != rows_ * static_cast<std::size_t>(width) * sizeof(std::int64_t)) {
    throw Malformed(fmt::format("{} has an unexpected element type", column.where()));
  }
  std::vector<std::int64_t> padded(rows_ * static_cast<std::size_t>(width));
  column.read_into(std::as_writable_bytes(std::span(padded)), file_type(tensor::DType::int64));
  // No element of any dtype is larger than 16 bytes: below this count no size in bytes overflows.
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 58U;
  std::vector<tensor::Shape> values;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (ranks[row] < 0 || ranks[row] > width)
      throw Malformed(fmt::format("row {} of {} has an impossible rank", row, where_));
    const auto begin =
        padded.begin() + static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(width));
    tensor::Shape shape(begin, begin + ranks[row]);
    std::int64_t room = kMaxElements;
    for (const std::int64_t size : shape) {
      if (size < 0 || size > room)
        throw Malformed(fmt::format("row {} of {} has an impossible shape", row, where_));
      room /= std::max<std::int64_t>(size, 1);
    }
    values.push_back(std::move(shape));
  }
  return values;
}

}  // namespace parity::golden_store
