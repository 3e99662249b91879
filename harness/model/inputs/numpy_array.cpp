#include "model/inputs/numpy_array.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "error/error.h"

namespace parity::model {
namespace {

using tensor::DType;
using tensor::HostTensor;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kArrayEnding = ".npy";

[[noreturn]] void damaged(const std::string& label, const std::string& what) {
  throw Error(ErrorKind::usage,
              label + " is a damaged NumPy array (" + what + "); save it again with numpy.save");
}

enum class ByteOrder : std::uint8_t { little, big };
enum class Layout : std::uint8_t { row_major, column_major };

struct Header {
  DType dtype = DType::float32;
  ByteOrder order = ByteOrder::little;
  Layout layout = Layout::row_major;
  tensor::Shape shape;
  std::size_t data_offset = 0;
};

std::optional<DType> dtype_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, DType>, 14> kTypes = {{
      {"f8", DType::float64},
      {"f4", DType::float32},
      {"f2", DType::float16},
      {"i8", DType::int64},
      {"i4", DType::int32},
      {"i2", DType::int16},
      {"i1", DType::int8},
      {"u8", DType::uint64},
      {"u4", DType::uint32},
      {"u2", DType::uint16},
      {"u1", DType::uint8},
      {"b1", DType::boolean},
      {"c8", DType::complex64},
      {"c16", DType::complex128},
  }};
  for (const auto& [name, dtype] : kTypes) {
    if (name == type) return dtype;
  }
  return std::nullopt;
}

/// The text of `key` in the header's dict literal, up to `end`; nullopt when it is not there.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size());
  const std::size_t start = rest.find_first_not_of(" :");
  if (start == std::string_view::npos) return std::nullopt;
  return rest.substr(start);
}

void read_type(Header& header, std::string_view text, const std::string& label) {
  const std::optional<std::string_view> value = value_of(text, "'descr'");
  if (!value) damaged(label, "its header has no descr");
  const std::size_t end = value->find('\'', 1);
  if (value->front() != '\'' || end == std::string_view::npos) {
    throw Error(ErrorKind::usage, label + " holds records, not numbers; save one plain array");
  }
  const std::string_view descr = value->substr(1, end - 1);
  const bool has_order =
      !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const std::optional<DType> dtype = dtype_of(descr.substr(has_order ? 1 : 0));
  if (!dtype) {
    throw Error(ErrorKind::usage, label + " holds elements of type `" +
                                      std::string(descr.substr(0, 20)) +
                                      "`, which no tensor has; save numbers of at most 64 bits");
  }
  header.dtype = *dtype;
  header.order = !descr.empty() && descr.front() == '>' ? ByteOrder::big : ByteOrder::little;
}

void read_shape(Header& header, std::string_view text, const std::string& label) {
  const std::optional<std::string_view> value = value_of(text, "'shape'");
  const std::size_t end = value ? value->find(')') : std::string_view::npos;
  if (!value || value->front() != '(' || end == std::string_view::npos) {
    damaged(label, "its header has no shape");
  }
  std::string_view rest = value->substr(1, end - 1);
  while (!rest.empty()) {
    const std::size_t start = rest.find_first_not_of(" ,L");
    if (start == std::string_view::npos) break;
    rest.remove_prefix(start);
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size < 0 || header.shape.size() == 64) {
      damaged(label, "its shape is none");
    }
    header.shape.push_back(size);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  }
}

Header read_header(std::span<const std::byte> bytes, const std::string& label) {
  constexpr std::size_t kFixedBytes = 8;
  if (bytes.size() < kFixedBytes + 4) damaged(label, "it ends inside its header");
  const auto version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3) damaged(label, "its format version is unknown");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(bytes, kFixedBytes, length_bytes);
  if (!holds(bytes, kFixedBytes + length_bytes, length)) {
    damaged(label, "it ends inside its header");
  }
  const std::string_view text = as_text(bytes.subspan(kFixedBytes + length_bytes, length));
  Header header;
  header.data_offset = kFixedBytes + length_bytes + length;
  read_type(header, text, label);
  read_shape(header, text, label);
  const std::optional<std::string_view> fortran = value_of(text, "'fortran_order'");
  if (!fortran) damaged(label, "its header has no fortran_order");
  header.layout = fortran->substr(0, 4) == "True" ? Layout::column_major : Layout::row_major;
  return header;
}

void swap_bytes(std::vector<std::byte>& bytes, DType dtype) {
  const std::size_t size = tensor::size_bytes(tensor::component(dtype));
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
}

std::vector<std::byte> row_major_of(std::span<const std::byte> data, const Header& header) {
  const std::size_t size = tensor::size_bytes(header.dtype);
  std::vector<std::byte> result;
  result.reserve(data.size());
  std::vector<std::uint64_t> strides(header.shape.size(), 1);
  for (std::size_t i = 1; i < strides.size(); ++i) {
    strides[i] = strides[i - 1] * static_cast<std::uint64_t>(header.shape[i - 1]);
  }
  std::vector<std::int64_t> index(header.shape.size(), 0);
  while (result.size() < data.size()) {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      at += static_cast<std::uint64_t>(index[i]) * strides[i];
    }
    const auto element = data.subspan(at * size, size);
    result.insert(result.end(), element.begin(), element.end());
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < header.shape[i]) break;
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return as_text(bytes).substr(0, kMagic.size()) == kMagic;
}

HostTensor read_npy(const FileBytes& file, const std::string& label) {
  const Header header = read_header(file.bytes, label);
  std::uint64_t size = tensor::size_bytes(header.dtype);
  const bool is_empty =
      std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  if (is_empty) size = 0;
  for (const std::int64_t one : header.shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(one), &size)) {
      damaged(label, "its shape overflows");
    }
  }
  if (!holds(file.bytes, header.data_offset, size)) damaged(label, "it ends inside its data");
  const std::span<const std::byte> data = file.bytes.subspan(header.data_offset, size);
  std::vector<std::byte> values = header.layout == Layout::column_major
                                      ? row_major_of(data, header)
                                      : std::vector<std::byte>(data.begin(), data.end());
  if (header.order == ByteOrder::big) swap_bytes(values, header.dtype);
  return {header.dtype, header.shape, std::move(values)};
}

bool is_npz(const ZipArchive& archive) {
  const auto& entries = archive.entries();
  return !entries.empty() &&
         std::all_of(entries.begin(), entries.end(), [](const ZipArchive::Entry& entry) {
           return entry.name.size() > kArrayEnding.size() &&
                  entry.name.substr(entry.name.size() - kArrayEnding.size()) == kArrayEnding;
         });
}

tensor::Value read_npz(const ZipArchive& archive, const std::string& label) {
  tensor::ValueDict dict;
  bool is_positional = true;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    std::string name = entry.name.substr(0, entry.name.size() - kArrayEnding.size());
    is_positional = is_positional && name == "arr_" + std::to_string(dict.items.size());
    const std::optional<FileBytes> record = archive.read(entry.name);
    PARITY_CHECK(record.has_value());
    const std::string where = "the array `" + name + "` of " + label;
    if (!is_npy(record->bytes)) damaged(where, "it has no NumPy header");
    dict.items.emplace_back(std::move(name), tensor::Value{read_npy(*record, where)});
  }
  if (!is_positional) return {std::move(dict)};
  tensor::ValueTuple tuple;
  for (auto& [name, value] : dict.items) tuple.items.push_back(std::move(value));
  return {std::move(tuple)};
}

}  // namespace parity::model
