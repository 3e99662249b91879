// Opcodes of the pickle machine that name, call or fill classes, and what is refused about them.
#include <algorithm>
#include <array>
#include <utility>

#include "error/error.h"
#include "model/weights/pickle_globals.h"
#include "model/weights/pickle_machine.h"
#include "model/weights/pickle_opcodes.h"

namespace parity::model {
namespace {

/// Modules whose functions act on the machine: named first in a refusal, whatever else is odd about
/// the file.
bool acts_on_the_machine(std::string_view name) {
  static constexpr std::array<std::string_view, 18> kModules = {
      "os",      "sys",       "subprocess", "builtins",   "shutil", "socket",
      "runpy",   "importlib", "pty",        "ctypes",     "code",   "pickle",
      "marshal", "functools", "operator",   "webbrowser", "timeit", "types"};
  const std::string_view module = name.substr(0, name.find('.'));
  return std::find(kModules.begin(), kModules.end(), module) != kModules.end();
}

/// The name that a person knows it by: Python 2's modules, and the private ones behind `os`.
std::string modern_name(std::string_view module, std::string_view name) {
  if (module == "__builtin__") module = "builtins";
  if (module == "copy_reg") module = "copyreg";
  if (module == "commands") module = "subprocess";
  if (module == "posix" || module == "nt") module = "os";
  return std::string(module) + "." + std::string(name);
}

std::vector<PickleObject*> arguments_of(const PickleObject& tuple) {
  const auto* sequence = tuple.as<PickleSequence>();
  if (sequence == nullptr) throw MalformedPickle("arguments of a call are " + describe(tuple));
  return sequence->items;
}

/// True for the state of a torch.nn.Module: the dict that its __setstate__ takes.
bool is_module_state(const PickleObject& state) {
  const auto* dict = state.as<PickleDict>();
  return dict != nullptr && dict->index.count("s_modules") != 0 &&
         dict->index.count("s_parameters") != 0;
}

std::uint64_t count_of(const PickleObject& object, const char* what) {
  const auto* value = object.as<std::int64_t>();
  if (value == nullptr || *value < 0) {
    throw MalformedPickle(std::string(what) + " of a storage is " + describe(object));
  }
  return static_cast<std::uint64_t>(*value);
}

/// Keys are str in zip files, str or int in legacy ones.
std::string key_of(const PickleObject& object) {
  if (const auto* number = object.as<std::int64_t>()) return std::to_string(*number);
  const std::optional<std::string_view> text = text_of(object);
  if (!text) throw MalformedPickle("the key of a storage is " + describe(object));
  return std::string(*text);
}

}  // namespace

bool PickleMachine::call(std::uint8_t opcode) {
  using Use = RefusedGlobal::Use;
  switch (opcode) {
    case opcode::kGlobal: {
      const std::string_view module = cursor_.line();
      push_global(module, cursor_.line());
      return true;
    }
    case opcode::kStackGlobal: {
      const PickleObject* name = pop();
      const PickleObject* module = pop();
      if (name->as<PickleText>() == nullptr || module->as<PickleText>() == nullptr) {
        throw MalformedPickle("a name is no str");
      }
      push_global(module->as<PickleText>()->text, name->as<PickleText>()->text);
      return true;
    }
    case opcode::kReduce: {
      const PickleObject* arguments = pop();
      PickleObject* callee = pop();
      push(apply(callee, arguments_of(*arguments), Use::called));
      return true;
    }
    case opcode::kNewObjEx:
      static_cast<void>(pop());
      [[fallthrough]];  // keyword arguments
    case opcode::kNewObj: {
      const PickleObject* arguments = pop();
      PickleObject* callee = pop();
      push(apply(callee, arguments_of(*arguments), Use::instance));
      return true;
    }
    case opcode::kBuild: {
      PickleObject* state = pop();
      build(top(), state);
      return true;
    }
    case opcode::kPersId: {
      const PickleText id{cursor_.line()};
      push_persistent(*arena_.make(id));
      return true;
    }
    case opcode::kBinPersId:
      push_persistent(*pop());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::old_instance(std::uint8_t opcode) {
  using Use = RefusedGlobal::Use;
  switch (opcode) {
    case opcode::kObj: {
      std::vector<PickleObject*> items = pop_to_mark();
      if (items.empty()) throw MalformedPickle("an object has no class");
      PickleObject* callee = items.front();
      items.erase(items.begin());
      push(apply(callee, std::move(items), Use::instance));
      return true;
    }
    case opcode::kInst: {
      const std::string_view module = cursor_.line();
      std::vector<PickleObject*> arguments = pop_to_mark();
      push_global(module, cursor_.line());
      PickleObject* callee = pop();
      push(apply(callee, std::move(arguments), Use::instance));
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  if (module.size() + name.size() > 1000) throw MalformedPickle("a name is absurdly long");
  std::string full = modern_name(module, name);
  if (!is_allowed_global(full)) note_use(full, RefusedGlobal::Use::named);
  push(arena_.make(PickleGlobal{std::move(full)}));
}

void PickleMachine::note_use(const std::string& name, RefusedGlobal::Use use) {
  const auto [at, is_new] = refused_index_.emplace(name, result_.refused.size());
  if (is_new) {
    result_.refused.push_back({name, use});
  } else {
    RefusedGlobal& known = result_.refused[at->second];
    known.use = std::max(known.use, use);
  }
}

PickleObject* PickleMachine::apply(PickleObject* callee, std::vector<PickleObject*> arguments,
                                   RefusedGlobal::Use use) {
  const auto* global = callee->as<PickleGlobal>();
  if (global == nullptr) {
    // What a refused call would have returned may be called in turn; the file is refused already.
    if (callee->as<PickleInstance>() == nullptr || result_.refused.empty()) {
      throw MalformedPickle("it calls " + describe(*callee));
    }
    return arena_.make(std::make_unique<PickleInstance>(*callee->as<PickleInstance>()));
  }
  if (is_allowed_global(global->name)) return call_global(arena_, global->name, arguments);
  note_use(global->name, use);
  std::string class_name = global->name;
  if (class_name == "copyreg._reconstructor" && !arguments.empty() &&
      arguments.front()->as<PickleGlobal>() != nullptr) {
    class_name = arguments.front()->as<PickleGlobal>()->name;
  }
  return arena_.make(std::make_unique<PickleInstance>(PickleInstance{std::move(class_name)}));
}

void PickleMachine::build(PickleObject* object, PickleObject* state) {
  if (object->as<PickleTensor>() != nullptr) {
    set_tensor_state(*object, *state);
    return;
  }
  if (object->as<PickleDict>() != nullptr) return;  // attributes of an OrderedDict: `_metadata`
  auto* instance = object->as<PickleInstance>();
  if (instance == nullptr) throw MalformedPickle("it gives attributes to " + describe(*object));
  if (instance->class_name == "numpy.dtype") {
    set_numpy_dtype_state(arena_, *instance, *state);
    return;
  }
  instance->state = state;
  // Children are complete before their parent is, so the last one is the outermost.
  if (is_module_state(*state)) result_.module_class = instance->class_name;
}

void PickleMachine::push_persistent(const PickleObject& id) {
  const auto* tuple = id.as<PickleSequence>();
  if (finder_ == nullptr || tuple == nullptr || tuple->items.empty()) {
    throw MalformedPickle("it refers to data outside itself");
  }
  const std::vector<PickleObject*>& items = tuple->items;
  const std::string kind = key_of(*items[0]);
  if (kind == "module" && items.size() >= 2) {
    push(items[1]);  // how old files wrap the class of a whole module, with its source beside it
    return;
  }
  if (kind != "storage" || items.size() < 5) {
    throw MalformedPickle("it refers to a `" + kind.substr(0, 100) + "` outside itself");
  }
  const auto* type = items[1]->as<PickleGlobal>();
  const std::optional<PickleStorage> storage =
      type == nullptr ? std::nullopt : storage_of_class(type->name);
  if (!storage) throw MalformedPickle("the type of a storage is " + describe(*items[1]));
  StorageRequest request;
  request.type = *storage;
  request.key = key_of(*items[2]);
  request.location = key_of(*items[3]);
  request.elements = count_of(*items[4], "the size");
  const auto* view = items.size() > 5 ? items[5]->as<PickleSequence>() : nullptr;
  if (view != nullptr) {
    if (view->items.size() != 3) throw MalformedPickle("a view of a storage is not of three parts");
    request.view = {key_of(*view->items[0]), count_of(*view->items[1], "the offset"),
                    count_of(*view->items[2], "the size")};
  }
  push(arena_.make(finder_->find(request)));
}

Pickle read_pickle(std::span<const std::byte> bytes, std::size_t position, PickleArena& arena,
                   StorageFinder* finder, const std::string& label) {
  PickleMachine machine(bytes, position, arena, finder);
  try {
    machine.run();
  } catch (const MalformedPickle& error) {
    // A refused class may be why the rest makes no sense to us; its name says more.
    if (!machine.result().refused.empty()) return machine.result();
    throw Error(ErrorKind::model,
                label + " holds a damaged pickle (" + error.what() + "); copy or save it again");
  }
  return machine.result();
}

std::string refusal(const Pickle& pickle, const std::string& label) {
  using Use = RefusedGlobal::Use;
  if (pickle.refused.empty()) return {};
  const RefusedGlobal* worst = nullptr;
  for (const RefusedGlobal& global : pickle.refused) {
    if (acts_on_the_machine(global.name)) {
      worst = &global;
      break;
    }
    if (worst == nullptr || global.use > worst->use) worst = &global;
  }
  if (!pickle.module_class.empty()) {
    std::string also;
    if (acts_on_the_machine(worst->name)) also = " and wants to run `" + worst->name + "`";
    return label + " is a pickled whole module (class `" + pickle.module_class + "`)" + also +
           ", which cannot be opened without running its Python code; export it in Python with "
           "torch.jit.script(model).save(\"model.pt\"), or save its weights with "
           "torch.save(model.state_dict(), \"weights.pt\")";
  }
  const bool runs = worst->use == Use::called || acts_on_the_machine(worst->name);
  return label + " is refused: the pickle wants to " +
         (runs ? "run `" : "build an object of the class `") + worst->name +
         "`; only tensors and plain containers are read, so save model.state_dict() alone with "
         "torch.save";
}

}  // namespace parity::model
