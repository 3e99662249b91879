#include "model/weights/pickle_value.h"

#include <array>
#include <bit>
#include <cmath>

#include "error/error.h"

namespace parity::model {
namespace {

// A checkpoint of 10,000 weights with its optimizer needs about 200,000; one object costs about 100
// bytes.
constexpr std::size_t kMostObjects = std::size_t{8} << 20U;

constexpr std::size_t kLongestKey = 4096;

std::string tagged(char tag, std::string_view text) {
  std::string all(1, tag);
  all += text;
  return all;
}

/// Equal for keys that Python holds for equal (1, True and 1.0); nullopt for a key that no
/// checkpoint has.
std::optional<std::string> spelling(const PickleObject& key, int depth) {
  if (const auto* text = key.as<PickleText>()) {
    if (text->text.size() > kLongestKey) return std::nullopt;
    return tagged('s', text->text);
  }
  if (const auto* bytes = key.as<PickleBytes>()) {
    if (bytes->bytes.size() > kLongestKey) return std::nullopt;
    return tagged('b', bytes->bytes);
  }
  if (const auto* integer = key.as<std::int64_t>()) return tagged('i', std::to_string(*integer));
  if (const auto* boolean = key.as<bool>()) return *boolean ? "i1" : "i0";
  if (const auto* number = key.as<double>()) {
    const double whole = std::trunc(*number);
    if (whole == *number && std::abs(whole) < 0x1p62) {
      return tagged('i', std::to_string(static_cast<std::int64_t>(whole)));
    }
    return tagged('f', std::to_string(std::bit_cast<std::uint64_t>(*number)));
  }
  if (const auto* global = key.as<PickleGlobal>()) return tagged('g', global->name);
  if (std::holds_alternative<std::monostate>(key.data)) return "n";
  const auto* sequence = key.as<PickleSequence>();
  if (sequence == nullptr || sequence->kind != SequenceKind::tuple || depth == 0) {
    return std::nullopt;
  }
  std::string all = "(";
  for (const PickleObject* item : sequence->items) {
    const std::optional<std::string> part = spelling(*item, depth - 1);
    if (!part || all.size() + part->size() > kLongestKey) return std::nullopt;
    all += *part + ",";
  }
  return all;
}

}  // namespace

bool set_item(PickleDict& dict, PickleObject* key, PickleObject* value) {
  std::optional<std::string> name = spelling(*key, 4);
  if (!name) return false;
  const auto [at, is_new] = dict.index.emplace(std::move(*name), dict.items.size());
  if (is_new) {
    dict.items.emplace_back(key, value);
  } else {
    dict.items[at->second].second = value;
  }
  return true;
}

std::string describe(const PickleObject& object) {
  if (const auto* sequence = object.as<PickleSequence>()) {
    static constexpr std::array<const char*, 3> kNames = {"a list", "a tuple", "a set"};
    return kNames.at(static_cast<std::size_t>(sequence->kind));
  }
  if (const auto* instance = object.as<PickleInstance>()) {
    return "an object of class `" + instance->class_name + "`";
  }
  if (const auto* global = object.as<PickleGlobal>()) return "the name `" + global->name + "`";
  static constexpr std::array<const char*, 13> kNames = {
      "None",    "a bool", "an int", "an int past 64 bits",
      "a float", "a str",  "bytes",  "",
      "a dict",  "",       "",       "storage",
      "a tensor"};
  return kNames.at(object.data.index());
}

std::optional<std::string_view> text_of(const PickleObject& object) {
  if (const auto* text = object.as<PickleText>()) return text->text;
  if (const auto* bytes = object.as<PickleBytes>()) return bytes->bytes;
  return std::nullopt;
}

PickleStorage* PickleArena::make_storage(PickleStorage storage) {
  storages_.push_back(std::move(storage));
  return &storages_.back();
}

std::string_view PickleArena::keep(std::string text) {
  texts_.push_back(std::move(text));
  return texts_.back();
}

void PickleArena::check_room() const {
  if (objects_.size() < kMostObjects) return;
  throw Error(ErrorKind::model,
              "the pickle describes more than 8 million objects; save the "
              "model's state_dict alone with torch.save(model.state_dict(), ...)");
}

}  // namespace parity::model
