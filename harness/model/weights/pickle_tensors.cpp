// Tensors, storages and NumPy scalars as a pickle describes them.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "model/weights/pickle_cursor.h"
#include "model/weights/pickle_globals.h"

namespace parity::model {
namespace {

using tensor::DType;

constexpr std::size_t kMostDimensions = 64;  // torch's own limit
/// A tensor may repeat its storage (strides of 0), but not so often that reading it never ends.
constexpr std::uint64_t kMostExpandedBytes = std::uint64_t{1} << 36U;

struct StorageClass {
  std::string_view name;
  std::optional<DType> dtype;
  std::string_view type_name;
  std::uint64_t element_bytes;
};

constexpr std::array kStorageClasses = {
    StorageClass{"Float", DType::float32, "float32", 4},
    StorageClass{"Half", DType::float16, "float16", 2},
    StorageClass{"BFloat16", DType::bfloat16, "bfloat16", 2},
    StorageClass{"Double", DType::float64, "float64", 8},
    StorageClass{"Long", DType::int64, "int64", 8},
    StorageClass{"Int", DType::int32, "int32", 4},
    StorageClass{"Short", DType::int16, "int16", 2},
    StorageClass{"Char", DType::int8, "int8", 1},
    StorageClass{"Byte", DType::uint8, "uint8", 1},
    StorageClass{"Bool", DType::boolean, "bool", 1},
    StorageClass{"ComplexFloat", DType::complex64, "complex64", 8},
    StorageClass{"ComplexDouble", DType::complex128, "complex128", 16},
    StorageClass{"Untyped", DType::uint8, "uint8", 1},
    StorageClass{"QInt8", std::nullopt, "qint8", 1},
    StorageClass{"QUInt8", std::nullopt, "quint8", 1},
    StorageClass{"QInt32", std::nullopt, "qint32", 4},
    StorageClass{"QUInt4x2", std::nullopt, "quint4x2", 1},
    StorageClass{"QUInt2x4", std::nullopt, "quint2x4", 1},
};

std::int64_t integer(const PickleObject& object, const char* what) {
  const auto* value = object.as<std::int64_t>();
  if (value == nullptr) {
    throw MalformedPickle(std::string(what) + " of a tensor is " + describe(object));
  }
  return *value;
}

std::vector<std::int64_t> integers(const PickleObject& object, const char* what) {
  const auto* sequence = object.as<PickleSequence>();
  if (sequence == nullptr || sequence->items.size() > kMostDimensions) {
    throw MalformedPickle(std::string(what) + " of a tensor are " + describe(object));
  }
  std::vector<std::int64_t> values;
  for (const PickleObject* item : sequence->items) {
    values.push_back(integer(*item, what));
    if (values.back() < 0) throw MalformedPickle(std::string(what) + " of a tensor are negative");
  }
  return values;
}

/// Elements from the first to the last one that the strides reach, both included; 0 for an empty
/// tensor.
std::uint64_t span_elements(const tensor::Shape& shape, const std::vector<std::int64_t>& strides) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return 0;
    std::uint64_t step = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(shape[i] - 1),
                               static_cast<std::uint64_t>(strides[i]), &step) ||
        __builtin_add_overflow(last, step, &last)) {
      throw MalformedPickle("a tensor reaches past the end of its storage");
    }
  }
  return last + 1;
}

void check_bounds(const PickleTensor& tensor, std::uint64_t element_bytes) {
  const std::uint64_t storage_bytes = tensor.storage->size_bytes;
  const std::uint64_t span = span_elements(tensor.shape, tensor.strides);
  std::uint64_t end_bytes = 0;
  if (span != 0 && (__builtin_mul_overflow(span, element_bytes, &end_bytes) ||
                    __builtin_add_overflow(end_bytes, tensor.offset_bytes, &end_bytes) ||
                    end_bytes > storage_bytes)) {
    throw MalformedPickle("a tensor reaches past the end of its storage of " +
                          std::to_string(storage_bytes) + " bytes");
  }
  std::uint64_t bytes = element_bytes;
  for (const std::int64_t size : tensor.shape) {
    if (span == 0) return;
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) ||
        bytes > std::max(storage_bytes, kMostExpandedBytes)) {
      throw MalformedPickle("a tensor repeats its storage more than is sane");
    }
  }
}

/// Set when the values are stored without a conjugation or negation that torch applies when it
/// reads them.
bool is_lazily_changed(const PickleObject& metadata) {
  const auto* dict = metadata.as<PickleDict>();
  if (dict == nullptr) return false;
  for (const auto& [key, value] : dict->items) {
    const std::optional<std::string_view> name = text_of(*key);
    const auto* flag = value->as<bool>();
    if (flag != nullptr && *flag && name && (*name == "conj" || *name == "neg")) return true;
  }
  return false;
}

struct NamedType {
  std::optional<DType> dtype;
  std::string name;
  std::uint64_t element_bytes = 1;
};

NamedType type_of(const PickleObject& object) {
  const auto* global = object.as<PickleGlobal>();
  if (global == nullptr) throw MalformedPickle("the dtype of a tensor is " + describe(object));
  NamedType type{std::nullopt, global->name.substr(global->name.find('.') + 1), 1};
  type.dtype = tensor::dtype_from_name(type.name);
  if (type.dtype) type.element_bytes = tensor::size_bytes(*type.dtype);
  if (type.name == "complex32") type.element_bytes = 4;
  return type;
}

std::unique_ptr<PickleTensor> view_of(PickleObject& storage, const PickleObject& offset,
                                      const PickleObject& sizes, const PickleObject& strides,
                                      const NamedType& type) {
  auto tensor = std::make_unique<PickleTensor>();
  tensor->storage = storage.as<PickleStorage>();
  if (tensor->storage == nullptr) throw MalformedPickle("a tensor has no storage");
  tensor->dtype = type.dtype;
  tensor->shape = integers(sizes, "the sizes");
  tensor->strides = integers(strides, "the strides");
  if (tensor->shape.size() != tensor->strides.size()) {
    throw MalformedPickle("a tensor has not as many strides as sizes");
  }
  const std::int64_t first = integer(offset, "the offset");
  if (first < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(first), type.element_bytes,
                                          &tensor->offset_bytes)) {
    throw MalformedPickle("the offset of a tensor lies outside its storage");
  }
  check_bounds(*tensor, type.element_bytes);
  if (!type.dtype) tensor->unsupported = "has dtype torch." + type.name + "; save it as float32";
  return tensor;
}

NamedType type_of(const PickleStorage* storage) {
  if (storage == nullptr) throw MalformedPickle("a tensor has no storage");
  return {storage->dtype, storage->type_name, storage->element_bytes};
}

}  // namespace

std::optional<PickleStorage> storage_of_class(std::string_view name) {
  static constexpr std::string_view kEnding = "Storage";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view module = name.substr(0, dot);
  std::string_view type = name.substr(dot + 1);
  if (module != "torch" && module != "torch.cuda" && module != "torch.storage") return std::nullopt;
  if (type.size() <= kEnding.size() || type.substr(type.size() - kEnding.size()) != kEnding) {
    return std::nullopt;
  }
  type.remove_suffix(kEnding.size());
  for (const StorageClass& row : kStorageClasses) {
    if (row.name != type) continue;
    PickleStorage storage;
    storage.dtype = row.dtype;
    storage.type_name = row.type_name;
    storage.element_bytes = row.element_bytes;
    return storage;
  }
  return std::nullopt;
}

PickleObject* rebuild_tensor(PickleArena& arena, std::string_view name,
                             const std::vector<PickleObject*>& arguments) {
  const bool has_dtype = name == "_rebuild_tensor_v3";
  const std::size_t needed = has_dtype ? 7 : 4;
  if (arguments.size() < needed) throw MalformedPickle("a tensor lacks some of its parts");
  const NamedType type =
      has_dtype ? type_of(*arguments[6]) : type_of(arguments[0]->as<PickleStorage>());
  auto tensor = view_of(*arguments[0], *arguments[1], *arguments[2], *arguments[3], type);
  const std::size_t metadata = has_dtype ? 7 : 6;
  if (arguments.size() > metadata && is_lazily_changed(*arguments[metadata])) {
    tensor->unsupported =
        "is stored with a pending conjugation or negation; save "
        ".resolve_conj().resolve_neg() of it";
  }
  return arena.make(std::move(tensor));
}

PickleObject* unsupported_tensor(PickleArena& arena, std::string reason) {
  auto tensor = std::make_unique<PickleTensor>();
  tensor->unsupported = std::move(reason);
  return arena.make(std::move(tensor));
}

void set_tensor_state(PickleObject& tensor, const PickleObject& state) {
  const auto* parts = state.as<PickleSequence>();
  PickleTensor& target = *tensor.as<PickleTensor>();
  // Anything else is a dict of Python attributes, which are of no use here.
  if (target.storage != nullptr || parts == nullptr || parts->items.size() != 4) return;
  const std::vector<PickleObject*>& items = parts->items;
  target =
      *view_of(*items[0], *items[1], *items[2], *items[3], type_of(items[0]->as<PickleStorage>()));
}

PickleObject* numpy_scalar(PickleArena& arena, const std::vector<PickleObject*>& arguments) {
  const auto* dtype = arguments.size() == 2 ? arguments[0]->as<PickleInstance>() : nullptr;
  const auto* bytes = dtype == nullptr ? nullptr : arguments[1]->as<PickleBytes>();
  const auto* descr =
      bytes == nullptr || dtype->class_name != "numpy.dtype" || dtype->state == nullptr
          ? nullptr
          : dtype->state->as<PickleText>();
  if (descr == nullptr) throw MalformedPickle("a NumPy scalar lacks its type or its bytes");
  std::string_view type = descr->text;
  std::uint64_t bits = 0;
  const bool big = !type.empty() && type.front() == '>';
  if (big) type.remove_prefix(1);
  const std::size_t size = bytes->bytes.size();
  for (std::size_t i = 0; i < size && size <= 8; ++i) {
    bits = bits << 8U | static_cast<std::uint8_t>(bytes->bytes[big ? i : size - 1 - i]);
  }
  if (type == "f8" && size == 8) return arena.make(std::bit_cast<double>(bits));
  if (type == "f4" && size == 4) {
    return arena.make(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  if (type == "b1" && size == 1) return arena.make(bits != 0);
  if (type == "i8" && size == 8) return arena.make(static_cast<std::int64_t>(bits));
  if (type == "i4" && size == 4) {
    return arena.make(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
  }
  // Other widths are read by nobody; their place is kept.
  return arena.make(std::make_unique<PickleInstance>(
      PickleInstance{"numpy." + std::string(type.substr(0, 20)), nullptr}));
}

void set_numpy_dtype_state(PickleArena& arena, PickleInstance& dtype, const PickleObject& state) {
  const auto* parts = state.as<PickleSequence>();
  const auto* order =
      parts == nullptr || parts->items.size() < 2 ? nullptr : parts->items[1]->as<PickleText>();
  const auto* type = dtype.state == nullptr ? nullptr : dtype.state->as<PickleText>();
  if (order == nullptr || type == nullptr) throw MalformedPickle("a NumPy type is incomplete");
  if (order->text != ">" || (!type->text.empty() && type->text.front() == '>')) return;
  std::string swapped(1, '>');
  swapped += type->text;
  dtype.state = arena.make(PickleText{arena.keep(std::move(swapped))});
}

}  // namespace parity::model
