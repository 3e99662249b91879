// Plain data that a pickle describes: containers, scalars, storages and tensors. Nothing here can
// run code. Objects live in one arena, so that shared and even self-containing structures cost
// nothing to free.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::model {

struct PickleObject;

/// A Python int that 64 bits do not hold: two's complement, least significant byte first.
struct PickleBigInt {
  std::string_view bytes;
};
struct PickleText {
  std::string_view text;
};
struct PickleBytes {
  std::string_view bytes;
};

enum class SequenceKind : std::uint8_t { list, tuple, set };

struct PickleSequence {
  SequenceKind kind = SequenceKind::list;
  std::vector<PickleObject*> items;
};

/// dict, OrderedDict, defaultdict or Counter, in insertion order.
struct PickleDict {
  std::vector<std::pair<PickleObject*, PickleObject*>> items;
  std::unordered_map<std::string, std::size_t> index;  ///< by the reader's spelling of the key
};

/// Sets or replaces the value of `key` as Python's dict does. False for a key that is not hashable
/// or absurdly long.
[[nodiscard]] bool set_item(PickleDict& dict, PickleObject* key, PickleObject* value);

/// A class or function by name; never looked up.
struct PickleGlobal {
  std::string name;  ///< "torch._utils._rebuild_tensor_v2"
};

/// An object of a class that carries no tensor data for us, remembered by name alone.
struct PickleInstance {
  std::string class_name;
  PickleObject* state = nullptr;  ///< what a BUILD handed to it
};

/// Raw memory that tensors look into. `bytes` is set when the container has located it.
struct PickleStorage {
  std::string key;
  std::optional<tensor::DType> dtype;  ///< nullopt: a type parity does not know
  std::string type_name;               ///< "float32", "qint8"
  std::uint64_t element_bytes = 1;
  std::uint64_t size_bytes = 0;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

struct PickleTensor {
  PickleStorage* storage = nullptr;
  std::optional<tensor::DType> dtype;
  std::uint64_t offset_bytes = 0;
  tensor::Shape shape;
  std::vector<std::int64_t> strides;
  std::string
      unsupported;  ///< why its values cannot be used ("is a sparse tensor"); "" when they can
};

struct PickleObject {
  std::variant<std::monostate, bool, std::int64_t, PickleBigInt, double, PickleText, PickleBytes,
               PickleSequence, std::unique_ptr<PickleDict>, PickleGlobal,
               std::unique_ptr<PickleInstance>, PickleStorage*, std::unique_ptr<PickleTensor>>
      data;

  template <typename T>
  [[nodiscard]] T* as() {
    if constexpr (std::is_same_v<T, PickleDict> || std::is_same_v<T, PickleInstance> ||
                  std::is_same_v<T, PickleTensor>) {
      auto* held = std::get_if<std::unique_ptr<T>>(&data);
      return held == nullptr ? nullptr : held->get();
    } else if constexpr (std::is_same_v<T, PickleStorage>) {
      auto* held = std::get_if<PickleStorage*>(&data);
      return held == nullptr ? nullptr : *held;
    } else {
      return std::get_if<T>(&data);
    }
  }
  template <typename T>
  [[nodiscard]] const T* as() const {
    return const_cast<PickleObject*>(this)->as<T>();
  }
};

/// "dict", "tensor", "an object of class `argparse.Namespace`": for messages.
[[nodiscard]] std::string describe(const PickleObject& object);

/// Text of a str, or of bytes that a Python 2 file holds in its place; nullopt for anything else.
[[nodiscard]] std::optional<std::string_view> text_of(const PickleObject& object);

/// Owns all objects of a file and the bytes they point into.
class PickleArena {
 public:
  /// Throws Error(model) past the largest number of objects that any sane file needs.
  template <typename T>
  PickleObject* make(T&& data) {
    check_room();
    objects_.push_back(PickleObject{std::forward<T>(data)});
    return &objects_.back();
  }
  [[nodiscard]] PickleStorage* make_storage(PickleStorage storage);
  /// Keeps decoded text alive for a string_view.
  [[nodiscard]] std::string_view keep(std::string text);
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

 private:
  void check_room() const;

  std::deque<PickleObject> objects_;
  std::deque<PickleStorage> storages_;
  std::deque<std::string> texts_;
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace parity::model
