#include "model/weights/safetensors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "error/error.h"
#include "model/weights/json_text.h"

namespace parity::model {
namespace {

using tensor::DType;

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the reference implementation's limit
constexpr std::size_t kSizeFieldBytes = 8;

struct NamedDType {
  std::string_view name;
  DType dtype;
};

constexpr std::array kDTypes = {
    NamedDType{"F64", DType::float64},
    NamedDType{"F32", DType::float32},
    NamedDType{"F16", DType::float16},
    NamedDType{"BF16", DType::bfloat16},
    NamedDType{"F8_E4M3", DType::float8_e4m3fn},
    NamedDType{"F8_E4M3FNUZ", DType::float8_e4m3fnuz},
    NamedDType{"F8_E5M2", DType::float8_e5m2},
    NamedDType{"F8_E5M2FNUZ", DType::float8_e5m2fnuz},
    NamedDType{"I64", DType::int64},
    NamedDType{"I32", DType::int32},
    NamedDType{"I16", DType::int16},
    NamedDType{"I8", DType::int8},
    NamedDType{"U64", DType::uint64},
    NamedDType{"U32", DType::uint32},
    NamedDType{"U16", DType::uint16},
    NamedDType{"U8", DType::uint8},
    NamedDType{"BOOL", DType::boolean},
    NamedDType{"C64", DType::complex64},
};

[[noreturn]] void refuse(const std::string& label, const std::string& what) {
  throw Error(ErrorKind::model,
              label + " is a damaged safetensors file (" + what + "); copy or save it again");
}

DType dtype_of(const nlohmann::json& entry, const std::string& name, const std::string& label) {
  const auto found = entry.find("dtype");
  if (found == entry.end() || !found->is_string()) refuse(label, "`" + name + "` has no dtype");
  const auto& spelling = found->get_ref<const std::string&>();
  for (const NamedDType& row : kDTypes) {
    if (row.name == spelling) return row.dtype;
  }
  throw Error(ErrorKind::model, label + " holds `" + name + "` of dtype " + spelling.substr(0, 40) +
                                    ", which is not read; save it as F32, F16 or BF16");
}

std::vector<std::int64_t> sizes(const nlohmann::json& entry, const char* key,
                                const std::string& name, const std::string& label) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) {
    refuse(label, "`" + name + "` has no " + key);
  }
  std::vector<std::int64_t> values;
  for (const nlohmann::json& item : *found) {
    const std::optional<std::int64_t> value = size_from_json(item);
    if (!value) refuse(label, "the " + std::string(key) + " of `" + name + "` is no size");
    values.push_back(*value);
  }
  return values;
}

std::vector<std::int64_t> row_major_strides(const tensor::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

struct Placed {
  StoredTensor tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Placed place(const std::string& name, const nlohmann::json& entry, const std::string& label) {
  if (!entry.is_object()) refuse(label, "the entry of `" + name + "` is no object");
  Placed placed;
  placed.tensor.name = name;
  placed.tensor.dtype = dtype_of(entry, name, label);
  placed.tensor.shape = sizes(entry, "shape", name, label);
  const std::vector<std::int64_t> offsets = sizes(entry, "data_offsets", name, label);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    refuse(label, "the data_offsets of `" + name + "` are no range");
  }
  placed.begin = static_cast<std::uint64_t>(offsets[0]);
  placed.end = static_cast<std::uint64_t>(offsets[1]);
  std::uint64_t bytes = tensor::size_bytes(placed.tensor.dtype);
  for (const std::int64_t size : placed.tensor.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
      refuse(label, "the shape of `" + name + "` overflows");
    }
  }
  if (bytes != placed.end - placed.begin) {
    refuse(label, "`" + name + "` has " + std::to_string(placed.end - placed.begin) +
                      " bytes where its shape and dtype need " + std::to_string(bytes));
  }
  placed.tensor.strides = row_major_strides(placed.tensor.shape);
  return placed;
}

std::uint64_t header_bytes(std::span<const std::byte> bytes) {
  return little_endian(bytes, 0, kSizeFieldBytes);
}

void check_metadata(const nlohmann::json& metadata, const std::string& label) {
  const bool is_map = metadata.is_object() &&
                      std::all_of(metadata.begin(), metadata.end(),
                                  [](const nlohmann::json& value) { return value.is_string(); });
  if (!is_map) refuse(label, "its __metadata__ does not map str to str");
}

}  // namespace

bool is_safetensors(std::span<const std::byte> bytes) {
  if (bytes.size() < kSizeFieldBytes + 2) return false;
  // A header that claims more than the file has is a cut-off file when what follows is a header's
  // beginning.
  const std::uint64_t size = header_bytes(bytes);
  return size >= 2 && size <= kMostHeaderBytes && bytes[kSizeFieldBytes] == std::byte{'{'} &&
         (bytes[kSizeFieldBytes + 1] == std::byte{'"'} ||
          bytes[kSizeFieldBytes + 1] == std::byte{'}'} ||
          bytes[kSizeFieldBytes + 1] == std::byte{' '} ||
          bytes[kSizeFieldBytes + 1] == std::byte{'\n'});
}

SafetensorsContent read_safetensors(const FileBytes& file, const std::string& label) {
  const std::span<const std::byte> bytes = file.bytes;
  if (bytes.size() < kSizeFieldBytes) refuse(label, "it has no header");
  const std::uint64_t size = header_bytes(bytes);
  if (size > kMostHeaderBytes) refuse(label, "its header claims more than 100 MB");
  if (!holds(bytes, kSizeFieldBytes, size)) refuse(label, "it ends inside its header");
  const nlohmann::json header =
      parse_json(as_text(bytes.subspan(kSizeFieldBytes, size)), "the header of " + label);
  if (!header.is_object()) refuse(label, "its header is no object");
  const std::span<const std::byte> data = bytes.subspan(kSizeFieldBytes + size);

  SafetensorsContent content;
  std::vector<Placed> all;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      check_metadata(entry, label);
      continue;
    }
    all.push_back(place(name, entry, label));
  }
  std::sort(all.begin(), all.end(), [](const Placed& first, const Placed& second) {
    return std::pair(first.begin, first.end) < std::pair(second.begin, second.end);
  });
  std::uint64_t covered = 0;
  for (Placed& placed : all) {
    if (placed.begin != covered) {
      refuse(label, "the bytes of `" + placed.tensor.name + "` " +
                        (placed.begin < covered ? "overlap another tensor's" : "follow a gap"));
    }
    covered = placed.end;
    if (placed.end > data.size()) {
      refuse(label, "it ends inside `" + placed.tensor.name + "`");
    }
    placed.tensor.storage = data.subspan(placed.begin, placed.end - placed.begin);
    placed.tensor.owner = file.owner;
    content.tensors.push_back(std::move(placed.tensor));
  }
  if (covered != data.size()) {
    refuse(label, std::to_string(data.size() - covered) + " bytes belong to no tensor");
  }
  return content;
}

}  // namespace parity::model
