// Reads a pickle that a test spelled out, and spells what came out of it.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"
#include "model/weights/pickle_reader.h"

namespace parity::model::testing {

/// Storages of a file that is not there: any key has zeros.
class Zeros : public StorageFinder {
 public:
  explicit Zeros(PickleArena& arena) : arena_(arena) {}
  PickleStorage* find(const StorageRequest& request) override {
    PickleStorage storage = request.type;
    storage.size_bytes = request.elements * storage.element_bytes;
    last_location = request.location;
    return arena_.make_storage(storage);
  }
  std::string last_location;

 private:
  PickleArena& arena_;
};

/// A pickle that is turned down, and words that the reason must have.
struct RefusedRow {
  const char* what;
  std::string program;
  const char* words;
};

inline void expect_words(const RefusedRow& row, const std::string& reason) {
  EXPECT_NE(reason.find(row.words), std::string::npos) << row.what << ": " << reason;
}

struct Read {
  FileBytes bytes;
  std::shared_ptr<PickleArena> arena = std::make_shared<PickleArena>();
  Pickle pickle;
  std::string refused;
};

inline Read read(const std::string& program) {
  Read result;
  result.bytes = bytes_of(program);
  Zeros zeros(*result.arena);
  result.pickle = read_pickle(result.bytes.bytes, 0, *result.arena, &zeros, "file");
  result.refused = refusal(result.pickle, "file");
  return result;
}

/// A short spelling of plain data, for tables.
inline std::string show(const PickleObject& object) {
  if (std::holds_alternative<std::monostate>(object.data)) return "None";
  if (const auto* flag = object.as<bool>()) return *flag ? "True" : "False";
  if (const auto* integer = object.as<std::int64_t>()) return std::to_string(*integer);
  if (const auto* number = object.as<double>()) return "f" + std::to_string(*number);
  if (const auto* value = object.as<PickleText>()) return "'" + std::string(value->text) + "'";
  if (const auto* value = object.as<PickleBytes>()) return "b'" + std::string(value->bytes) + "'";
  if (object.as<PickleBigInt>() != nullptr) return "big";
  std::string all;
  if (const auto* sequence = object.as<PickleSequence>()) {
    for (const PickleObject* item : sequence->items) all += (all.empty() ? "" : ",") + show(*item);
    if (sequence->kind == SequenceKind::list) return "[" + all + "]";
    return (sequence->kind == SequenceKind::tuple ? "(" : "set(") + all + ")";
  }
  if (const auto* dict = object.as<PickleDict>()) {
    for (const auto& [key, value] : dict->items) {
      all += (all.empty() ? "" : ",") + show(*key) + ":" + show(*value);
    }
    return "{" + all + "}";
  }
  return describe(object);
}

}  // namespace parity::model::testing
