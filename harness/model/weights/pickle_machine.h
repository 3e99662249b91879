// The stack machine that a pickle is a program for. Private to the pickle reader.
// Every operand comes from bounded reads, every stack access is checked, no operation recurses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/weights/pickle_cursor.h"
#include "model/weights/pickle_reader.h"

namespace parity::model {

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, std::size_t position, PickleArena& arena,
                StorageFinder* finder)
      : cursor_(bytes, position), arena_(arena), finder_(finder) {}

  /// Throws MalformedPickle. Names that are not allowed seen so far are in result() also then.
  void run();
  [[nodiscard]] const Pickle& result() const { return result_; }

 private:
  // Each handles its group of opcodes and returns false for any other.
  [[nodiscard]] bool number(std::uint8_t opcode);
  [[nodiscard]] bool text(std::uint8_t opcode);
  [[nodiscard]] bool sequence(std::uint8_t opcode);
  [[nodiscard]] bool dictionary(std::uint8_t opcode);
  [[nodiscard]] bool stack_or_memo(std::uint8_t opcode);
  [[nodiscard]] bool call(std::uint8_t opcode);
  [[nodiscard]] bool old_instance(std::uint8_t opcode);  ///< of protocols 0 and 1

  void push(PickleObject* object);
  [[nodiscard]] PickleObject* pop();
  [[nodiscard]] PickleObject* top();
  [[nodiscard]] std::vector<PickleObject*> pop_to_mark();
  void put(std::uint64_t slot);
  void get(std::uint64_t slot);

  void push_long(std::string_view bytes);
  void push_string(std::string_view bytes);
  void push_unicode(std::string_view bytes);
  void push_global(std::string_view module, std::string_view name);
  void push_tuple(std::size_t items);
  void extend(PickleObject* target, const std::vector<PickleObject*>& items);
  void set_items(PickleObject* target, const std::vector<PickleObject*>& pairs);

  [[nodiscard]] PickleObject* apply(PickleObject* callee, std::vector<PickleObject*> arguments,
                                    RefusedGlobal::Use use);
  void build(PickleObject* object, PickleObject* state);
  void push_persistent(const PickleObject& id);
  void note_use(const std::string& name, RefusedGlobal::Use use);

  PickleCursor cursor_;
  PickleArena& arena_;
  StorageFinder* finder_;
  std::vector<PickleObject*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleObject*> memo_;
  std::unordered_map<std::string, std::size_t> refused_index_;
  Pickle result_;
};

}  // namespace parity::model
