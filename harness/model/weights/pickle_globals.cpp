#include "model/weights/pickle_globals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/weights/pickle_cursor.h"

namespace parity::model {
namespace {

using Arguments = std::vector<PickleObject*>;
using Call = PickleObject* (*)(PickleArena&, std::string_view, const Arguments&);

struct NamedCall {
  std::string_view name;
  Call call;
};

[[noreturn]] void wrong_arguments(std::string_view name) {
  throw MalformedPickle("the arguments of `" + std::string(name) + "` do not fit");
}

const PickleObject& argument(const Arguments& arguments, std::size_t i, std::string_view name) {
  if (i >= arguments.size()) wrong_arguments(name);
  return *arguments[i];
}

std::vector<PickleObject*> items_of(const Arguments& arguments, std::string_view name) {
  if (arguments.empty()) return {};
  const auto* sequence = arguments[0]->as<PickleSequence>();
  if (sequence == nullptr) wrong_arguments(name);
  return sequence->items;
}

PickleObject* make_opaque(PickleArena& arena, std::string_view name, const Arguments&) {
  return arena.make(std::make_unique<PickleInstance>(PickleInstance{std::string(name), nullptr}));
}

/// OrderedDict, Counter: empty, from a dict or from pairs as Python 2 writes them.
PickleObject* make_dict(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  auto dict = std::make_unique<PickleDict>();
  const auto* source = arguments.empty() ? nullptr : arguments[0]->as<PickleDict>();
  if (source != nullptr) {
    for (const auto& [key, value] : source->items) {
      if (!set_item(*dict, key, value)) wrong_arguments(name);
    }
  } else {
    for (PickleObject* item : items_of(arguments, name)) {
      const auto* pair = item->as<PickleSequence>();
      if (pair == nullptr || pair->items.size() != 2 ||
          !set_item(*dict, pair->items[0], pair->items[1])) {
        wrong_arguments(name);
      }
    }
  }
  return arena.make(std::move(dict));
}

/// The factory of missing keys is of no use to a reader.
PickleObject* make_default_dict(PickleArena& arena, std::string_view, const Arguments&) {
  return arena.make(std::make_unique<PickleDict>());
}

PickleObject* make_set(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  return arena.make(PickleSequence{SequenceKind::set, items_of(arguments, name)});
}

PickleObject* make_size(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  return arena.make(PickleSequence{SequenceKind::tuple, items_of(arguments, name)});
}

/// bytes and bytearray in protocols that lack them: text of Latin-1 characters and the encoding's
/// name.
PickleObject* make_bytes(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  if (arguments.empty()) return arena.make(PickleBytes{});
  const PickleObject& source = *arguments[0];
  if (const auto* bytes = source.as<PickleBytes>()) return arena.make(PickleBytes{bytes->bytes});
  const auto* text = source.as<PickleText>();
  if (text == nullptr) wrong_arguments(name);
  std::string_view encoding = "utf-8";
  if (arguments.size() > 1) {
    const auto* given = arguments[1]->as<PickleText>();
    if (given == nullptr) wrong_arguments(name);
    encoding = given->text;
  }
  if (encoding == "utf-8" || encoding == "utf8") return arena.make(PickleBytes{text->text});
  if (encoding != "latin1" && encoding != "latin-1" && encoding != "ascii") wrong_arguments(name);
  return arena.make(PickleBytes{arena.keep(latin1_of_utf8(text->text))});
}

/// A typed list of TorchScript is a list.
PickleObject* make_list(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  return arena.make(PickleSequence{SequenceKind::list, items_of(arguments, name)});
}

PickleObject* first_argument(PickleArena&, std::string_view name, const Arguments& arguments) {
  if (arguments.empty()) wrong_arguments(name);
  return arguments[0];
}

PickleObject* first_tensor(PickleArena&, std::string_view name, const Arguments& arguments) {
  if (argument(arguments, 0, name).as<PickleTensor>() == nullptr) wrong_arguments(name);
  return arguments[0];
}

PickleObject* rebuild(PickleArena& arena, std::string_view name, const Arguments& arguments) {
  return rebuild_tensor(arena, name.substr(name.rfind('.') + 1), arguments);
}

/// (function, type, arguments, state): a tensor of a subclass or with Python attributes, which are
/// dropped.
PickleObject* rebuild_from_type(PickleArena& arena, std::string_view name,
                                const Arguments& arguments) {
  const auto* function = argument(arguments, 0, name).as<PickleGlobal>();
  const auto* inner = argument(arguments, 2, name).as<PickleSequence>();
  // Not itself again: that would recurse as deeply as the file says.
  if (function == nullptr || inner == nullptr || function->name == name ||
      !is_allowed_global(function->name)) {
    wrong_arguments(name);
  }
  return call_global(arena, function->name, inner->items);
}

PickleObject* make_sparse(PickleArena& arena, std::string_view, const Arguments&) {
  return unsupported_tensor(arena, "is a sparse tensor; save its .to_dense()");
}
PickleObject* make_quantised(PickleArena& arena, std::string_view, const Arguments&) {
  return unsupported_tensor(arena, "is a quantised tensor; save its .dequantize()");
}
PickleObject* make_nested(PickleArena& arena, std::string_view, const Arguments&) {
  return unsupported_tensor(arena, "is a nested tensor; save its .to_padded_tensor(0)");
}
PickleObject* make_meta(PickleArena& arena, std::string_view, const Arguments&) {
  return unsupported_tensor(arena, "is on the meta device and has no values");
}
PickleObject* make_wrapped(PickleArena& arena, std::string_view, const Arguments&) {
  return unsupported_tensor(arena, "is of a tensor subclass without storage; save a plain tensor");
}

PickleObject* make_numpy_scalar(PickleArena& arena, std::string_view, const Arguments& arguments) {
  return numpy_scalar(arena, arguments);
}

PickleObject* make_numpy_dtype(PickleArena& arena, std::string_view name,
                               const Arguments& arguments) {
  if (argument(arguments, 0, name).as<PickleText>() == nullptr) wrong_arguments(name);
  return arena.make(
      std::make_unique<PickleInstance>(PickleInstance{std::string(name), arguments[0]}));
}

constexpr std::array kCalls = {
    NamedCall{"collections.OrderedDict", make_dict},
    NamedCall{"collections.Counter", make_dict},
    NamedCall{"collections.defaultdict", make_default_dict},
    NamedCall{"builtins.set", make_set},
    NamedCall{"builtins.frozenset", make_set},
    NamedCall{"builtins.bytearray", make_bytes},
    NamedCall{"_codecs.encode", make_bytes},
    NamedCall{"builtins.complex", make_opaque},
    NamedCall{"argparse.Namespace", make_opaque},
    NamedCall{"torch.Size", make_size},
    NamedCall{"torch.device", make_opaque},
    NamedCall{"torch.serialization._get_layout", make_opaque},
    NamedCall{"torch.nn.parameter.Parameter", first_tensor},
    NamedCall{"torch._utils._rebuild_tensor", rebuild},
    NamedCall{"torch._utils._rebuild_tensor_v2", rebuild},
    NamedCall{"torch._utils._rebuild_tensor_v3", rebuild},
    NamedCall{"torch._utils._rebuild_parameter", first_tensor},
    NamedCall{"torch._utils._rebuild_parameter_with_state", first_tensor},
    NamedCall{"torch._utils._rebuild_device_tensor_from_cpu_tensor", first_tensor},
    NamedCall{"torch._utils._rebuild_sparse_tensor", make_sparse},
    NamedCall{"torch._utils._rebuild_qtensor", make_quantised},
    NamedCall{"torch._utils._rebuild_nested_tensor", make_nested},
    NamedCall{"torch._utils._rebuild_meta_tensor_no_storage", make_meta},
    NamedCall{"torch._utils._rebuild_wrapper_subclass", make_wrapped},
    NamedCall{"torch._tensor._rebuild_from_type_v2", rebuild_from_type},
    NamedCall{"torch.jit._pickle.build_intlist", make_list},
    NamedCall{"torch.jit._pickle.build_doublelist", make_list},
    NamedCall{"torch.jit._pickle.build_boollist", make_list},
    NamedCall{"torch.jit._pickle.build_tensorlist", make_list},
    NamedCall{"torch.jit._pickle.restore_type_tag", first_argument},
    NamedCall{"numpy.dtype", make_numpy_dtype},
    NamedCall{"numpy.core.multiarray.scalar", make_numpy_scalar},
    NamedCall{"numpy._core.multiarray.scalar", make_numpy_scalar},
};

const NamedCall* find_call(std::string_view name) {
  const auto* found = std::find_if(kCalls.begin(), kCalls.end(),
                                   [name](const NamedCall& row) { return row.name == name; });
  return found == kCalls.end() ? nullptr : found;
}

/// torch.float32, torch.qint8, torch.bits8, torch.int4: names of element types; never callable.
bool is_dtype_name(std::string_view name) {
  if (tensor::dtype_from_name(name)) return true;
  static constexpr std::array<std::string_view, 31> kOthers = {"complex32",
                                                               "float8_e8m0fnu",
                                                               "float4_e2m1fn_x2",
                                                               "bits16",
                                                               "bits1x8",
                                                               "bits2x4",
                                                               "bits4x2",
                                                               "bits8",
                                                               "qint32",
                                                               "qint8",
                                                               "quint2x4",
                                                               "quint4x2",
                                                               "quint8",
                                                               "int1",
                                                               "int2",
                                                               "int3",
                                                               "int4",
                                                               "int5",
                                                               "int6",
                                                               "int7",
                                                               "uint1",
                                                               "uint2",
                                                               "uint3",
                                                               "uint4",
                                                               "uint5",
                                                               "uint6",
                                                               "uint7",
                                                               "per_tensor_affine",
                                                               "per_tensor_symmetric",
                                                               "per_channel_affine",
                                                               "per_channel_symmetric"};
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end() ||
         name == "per_channel_affine_float_qparams";
}

/// torch.Tensor, torch.FloatTensor, torch.cuda.HalfTensor, torch.sparse.FloatTensor.
bool is_tensor_class(std::string_view name) {
  static constexpr std::string_view kEnding = "Tensor";
  if (name.size() < kEnding.size() || name.substr(name.size() - kEnding.size()) != kEnding) {
    return false;
  }
  name.remove_suffix(kEnding.size());
  for (const std::string_view prefix :
       {"torch.cuda.sparse.", "torch.sparse.", "torch.cuda.", "torch."}) {
    if (name.substr(0, prefix.size()) != prefix) continue;
    const std::string_view type = name.substr(prefix.size());
    return type.empty() || storage_of_class("torch." + std::string(type) + "Storage").has_value();
  }
  return false;
}

/// Classes that a defaultdict makes missing values with: they may be named, not called.
bool is_factory(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kFactories = {"builtins.list", "builtins.dict",
                                                                 "builtins.int",  "builtins.float",
                                                                 "builtins.str",  "builtins.bool"};
  return std::find(kFactories.begin(), kFactories.end(), name) != kFactories.end();
}

}  // namespace

bool is_allowed_global(std::string_view name) {
  static constexpr std::string_view kTorch = "torch.";
  if (find_call(name) != nullptr || is_factory(name)) return true;
  if (name.substr(0, kTorch.size()) != kTorch) return false;
  return is_dtype_name(name.substr(kTorch.size())) || storage_of_class(name).has_value() ||
         is_tensor_class(name);
}

PickleObject* call_global(PickleArena& arena, std::string_view name,
                          const std::vector<PickleObject*>& arguments) {
  if (const NamedCall* row = find_call(name)) return row->call(arena, row->name, arguments);
  if (is_tensor_class(name)) {
    if (name.find("sparse") != std::string_view::npos) return make_sparse(arena, name, arguments);
    return unsupported_tensor(arena, "is a tensor object that nothing was put into");
  }
  throw MalformedPickle("it calls `" + std::string(name) + "`");
}

}  // namespace parity::model
