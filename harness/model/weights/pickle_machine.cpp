#include "model/weights/pickle_machine.h"

#include <utility>

#include "model/weights/pickle_opcodes.h"

namespace parity::model {
namespace {

/// Objects on the stack at once; a list of a million numbers needs a thousand (Python writes them
/// in batches).
constexpr std::size_t kDeepestStack = std::size_t{8} << 20U;

std::uint64_t slot_of(std::string_view digits) {
  std::uint64_t slot = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || slot > 0xffffffff) {
      throw MalformedPickle("a memo slot is no number");
    }
    slot = slot * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return slot;
}

}  // namespace

void PickleMachine::run() {
  for (;;) {
    const auto opcode = static_cast<std::uint8_t>(cursor_.little_endian(1));
    if (opcode == opcode::kStop) break;
    const bool known = number(opcode) || text(opcode) || sequence(opcode) || dictionary(opcode) ||
                       stack_or_memo(opcode) || call(opcode) || old_instance(opcode);
    if (!known) throw MalformedPickle("byte " + std::to_string(opcode) + " is no pickle opcode");
  }
  result_.root = pop();
  result_.end = cursor_.position();
}

void PickleMachine::push(PickleObject* object) {
  if (stack_.size() >= kDeepestStack) throw MalformedPickle("its stack is too deep");
  stack_.push_back(object);
}

PickleObject* PickleMachine::pop() {
  PickleObject* object = top();
  stack_.pop_back();
  return object;
}

PickleObject* PickleMachine::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) throw MalformedPickle("it takes more from its stack than is there");
  return stack_.back();
}

std::vector<PickleObject*> PickleMachine::pop_to_mark() {
  if (marks_.empty()) throw MalformedPickle("a mark is missing");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleObject*> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleMachine::put(std::uint64_t slot) { memo_[slot] = top(); }

void PickleMachine::get(std::uint64_t slot) {
  const auto found = memo_.find(slot);
  if (found == memo_.end()) throw MalformedPickle("it refers to an object that it never stored");
  push(found->second);
}

bool PickleMachine::stack_or_memo(std::uint8_t opcode) {
  switch (opcode) {
    case opcode::kMark:
      if (marks_.size() >= kDeepestStack) throw MalformedPickle("its stack is too deep");
      marks_.push_back(stack_.size());
      return true;
    case opcode::kPop:
      // Python drops the mark when nothing lies above it.
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        static_cast<void>(pop());
      }
      return true;
    case opcode::kPopMark:
      static_cast<void>(pop_to_mark());
      return true;
    case opcode::kDup:
      push(top());
      return true;
    case opcode::kGet:
      get(slot_of(cursor_.line()));
      return true;
    case opcode::kBinGet:
      get(cursor_.little_endian(1));
      return true;
    case opcode::kLongBinGet:
      get(cursor_.little_endian(4));
      return true;
    case opcode::kPut:
      put(slot_of(cursor_.line()));
      return true;
    case opcode::kBinPut:
      put(cursor_.little_endian(1));
      return true;
    case opcode::kLongBinPut:
      put(cursor_.little_endian(4));
      return true;
    case opcode::kMemoize:
      put(memo_.size());
      return true;
    case opcode::kProto:
      if (cursor_.little_endian(1) > 5) throw MalformedPickle("its protocol is newer than 5");
      return true;
    case opcode::kFrame:
      static_cast<void>(cursor_.little_endian(8));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::sequence(std::uint8_t opcode) {
  const auto make = [this](SequenceKind kind, std::vector<PickleObject*> items) {
    push(arena_.make(PickleSequence{kind, std::move(items)}));
  };
  switch (opcode) {
    case opcode::kEmptyList:
      make(SequenceKind::list, {});
      return true;
    case opcode::kEmptyTuple:
      make(SequenceKind::tuple, {});
      return true;
    case opcode::kEmptySet:
      make(SequenceKind::set, {});
      return true;
    case opcode::kList:
      make(SequenceKind::list, pop_to_mark());
      return true;
    case opcode::kTuple:
      make(SequenceKind::tuple, pop_to_mark());
      return true;
    case opcode::kFrozenSet:
      make(SequenceKind::set, pop_to_mark());
      return true;
    case opcode::kTuple1:
      push_tuple(1);
      return true;
    case opcode::kTuple2:
      push_tuple(2);
      return true;
    case opcode::kTuple3:
      push_tuple(3);
      return true;
    case opcode::kAppend: {
      PickleObject* item = pop();
      extend(top(), {item});
      return true;
    }
    case opcode::kAppends:
    case opcode::kAddItems: {
      const std::vector<PickleObject*> items = pop_to_mark();
      extend(top(), items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::dictionary(std::uint8_t opcode) {
  switch (opcode) {
    case opcode::kEmptyDict:
      push(arena_.make(std::make_unique<PickleDict>()));
      return true;
    case opcode::kDict: {
      const std::vector<PickleObject*> pairs = pop_to_mark();
      push(arena_.make(std::make_unique<PickleDict>()));
      set_items(top(), pairs);
      return true;
    }
    case opcode::kSetItem: {
      PickleObject* value = pop();
      PickleObject* key = pop();
      set_items(top(), {key, value});
      return true;
    }
    case opcode::kSetItems: {
      const std::vector<PickleObject*> pairs = pop_to_mark();
      set_items(top(), pairs);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::push_tuple(std::size_t items) {
  std::vector<PickleObject*> taken(items);
  for (std::size_t i = items; i-- > 0;) taken[i] = pop();
  push(arena_.make(PickleSequence{SequenceKind::tuple, std::move(taken)}));
}

void PickleMachine::extend(PickleObject* target, const std::vector<PickleObject*>& items) {
  if (target->as<PickleInstance>() != nullptr) return;
  auto* sequence = target->as<PickleSequence>();
  if (sequence == nullptr || sequence->kind == SequenceKind::tuple) {
    throw MalformedPickle("it appends to " + describe(*target));
  }
  sequence->items.insert(sequence->items.end(), items.begin(), items.end());
}

void PickleMachine::set_items(PickleObject* target, const std::vector<PickleObject*>& pairs) {
  if (pairs.size() % 2 != 0) throw MalformedPickle("a key has no value");
  if (target->as<PickleInstance>() != nullptr) return;
  auto* dict = target->as<PickleDict>();
  if (dict == nullptr) throw MalformedPickle("it sets a key of " + describe(*target));
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (!set_item(*dict, pairs[i], pairs[i + 1])) {
      throw MalformedPickle(describe(*pairs[i]) + " is used as the key of a dict");
    }
  }
}

}  // namespace parity::model
