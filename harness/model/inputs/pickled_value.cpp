#include "model/inputs/pickled_value.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "error/error.h"
#include "model/weights/strided_bytes.h"
#include "model/weights/torch_file.h"

namespace parity::model {
namespace {

using tensor::HostTensor;
using tensor::Value;

class Conversion {
 public:
  explicit Conversion(std::string label) : label_(std::move(label)) {}

  Value convert(const PickleObject& object, const std::string& path, int depth) {
    // A list may hold itself, and a small file may repeat its parts without end.
    constexpr int kDeepest = 32;
    constexpr std::size_t kMostValues = 1'000'000;
    if (depth > kDeepest || ++values_ > kMostValues) {
      refuse(path, "nests deeper than 32 levels or holds more than a million values");
    }
    if (const auto* tensor = object.as<PickleTensor>()) return {host_tensor(*tensor, path)};
    if (const auto* flag = object.as<bool>()) return {*flag};
    if (const auto* integer = object.as<std::int64_t>()) return {*integer};
    if (const auto* number = object.as<double>()) return {*number};
    if (const auto* text = object.as<PickleText>()) return {std::string(text->text)};
    if (std::holds_alternative<std::monostate>(object.data)) return {std::monostate{}};
    if (const auto* dict = object.as<PickleDict>()) return convert_dict(*dict, path, depth);
    if (const auto* sequence = object.as<PickleSequence>()) {
      return convert_sequence(*sequence, path, depth);
    }
    refuse(path, "is " + describe(object));
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw Error(ErrorKind::usage, (path.empty() ? label_ : "`" + path + "` of " + label_) + " " +
                                      what +
                                      ", which no model takes; save tensors, scalars, tuples, "
                                      "lists and dicts by str");
  }

  HostTensor host_tensor(const PickleTensor& pickled, const std::string& path) const {
    const StoredTensor stored = stored_tensor(path, pickled, label_);
    const std::size_t size = tensor::size_bytes(stored.dtype);
    const std::uint64_t bytes = tensor::element_count(stored.shape) * size;
    const auto address = reinterpret_cast<std::uintptr_t>(stored.storage.data());
    if (is_row_major(stored) && address % size == 0) {
      return {stored.dtype, stored.shape, stored.storage.first(bytes), stored.owner};
    }
    std::vector<std::byte> copy;
    copy.reserve(bytes);
    for_each_piece(stored, [&copy](std::span<const std::byte> piece) {
      copy.insert(copy.end(), piece.begin(), piece.end());
    });
    return {stored.dtype, stored.shape, std::move(copy)};
  }

  Value convert_dict(const PickleDict& dict, const std::string& path, int depth) {
    tensor::ValueDict result;
    for (const auto& [key, value] : dict.items) {
      const auto* name = key->as<PickleText>();
      if (name == nullptr) refuse(path, "is a dict whose keys are not all str");
      result.items.emplace_back(name->text,
                                convert(*value, below(path, std::string(name->text)), depth + 1));
    }
    return {std::move(result)};
  }

  Value convert_sequence(const PickleSequence& sequence, const std::string& path, int depth) {
    if (sequence.kind == SequenceKind::set) refuse(path, "is a set");
    std::vector<Value> items;
    for (const PickleObject* item : sequence.items) {
      items.push_back(convert(*item, below(path, std::to_string(items.size())), depth + 1));
    }
    if (sequence.kind == SequenceKind::list) return {tensor::ValueList{std::move(items)}};
    return {tensor::ValueTuple{std::move(items)}};
  }

  static std::string below(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  std::string label_;
  std::size_t values_ = 0;
};

}  // namespace

Value value_of_pickle(const PickleObject& object, const std::string& label) {
  return Conversion(label).convert(object, "", 0);
}

}  // namespace parity::model
