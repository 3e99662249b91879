// Walks a module's attributes and code for tensors. Names never hold a class name: torch mangles
// these by what else the process has loaded.
#include "model/torchscript/weight_digests.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include "model/torch/bridge.h"
#include "model/torchscript/module_paths.h"

namespace parity::model {
namespace {

using torch::jit::AttributeKind;
using torch::jit::Block;
using torch::jit::Node;

class Collector {
 public:
  void add_module(const c10::ivalue::Object& module, const std::string& path);
  [[nodiscard]] ScriptWeights finish() &&;

 private:
  /// Where constants are found: their names count up through one method and what it calls.
  struct Method {
    std::string path;  ///< of the module
    std::string name;  ///< "encoder.forward"
    std::size_t constants = 0;
  };

  void add_value(const c10::IValue& value, const std::string& name, const std::string& path);
  void add_elements(const c10::IValue& value, const std::string& name, const std::string& path);
  void add_object(const c10::IValue& value, const std::string& name, const std::string& path);
  void add_tensor(const at::Tensor& tensor, const std::string& name, const std::string& path);
  void add_without_digest(const std::string& name, const std::string& path,
                          const std::string& what);
  void add_function(torch::jit::Function& function, Method& method);
  void add_block(const Block& block, Method& method);
  void add_called(const Node& node, Method& method);
  void add_constant(const Node& node, Method& method);
  [[nodiscard]] std::string unique(const std::string& name);

  ScriptWeights weights_;
  std::uint64_t constant_elements_ = 0;
  std::unordered_set<std::string> names_;
  std::unordered_set<const torch::jit::Function*> seen_functions_;
  std::unordered_set<const c10::ivalue::Object*> open_objects_;
};

/// A dict's key, or an attribute's, may spell the name of something else.
std::string Collector::unique(const std::string& name) {
  std::string candidate = name;
  for (int copy = 1; !names_.insert(candidate).second; ++copy) {
    candidate = name + "#" + std::to_string(copy);
  }
  return candidate;
}

void Collector::add_without_digest(const std::string& name, const std::string& path,
                                   const std::string& what) {
  const std::string module = path.empty() ? "the model itself" : "module " + path;
  weights_.notes.push_back(module + " is not wholly covered by the weights check: " + name +
                           " is " + what + ", which has no digest in the golden");
}

void Collector::add_tensor(const at::Tensor& tensor, const std::string& name,
                           const std::string& path) {
  if (!tensor.defined()) return;
  if (tensor.layout() != c10::kStrided || tensor.is_quantized() ||
      !dtype_of(tensor.scalar_type())) {
    add_without_digest(name, path, tensor.is_quantized() ? "quantised" : "sparse or opaque");
    return;
  }
  const tensor::HostTensor host = to_host(tensor);
  weights_.digests.push_back(
      {unique(name), host.dtype(), host.shape(), tensor::digest_of(host.bytes())});
}

void Collector::add_object(const c10::IValue& value, const std::string& name,
                           const std::string& path) {
  const c10::intrusive_ptr<c10::ivalue::Object> object = value.toObject();
  if (object->type()->is_module()) {
    add_module(*object, name);
    return;
  }
  // Objects of plain classes may hold each other.
  if (!open_objects_.insert(object.get()).second) return;
  for (std::size_t i = 0; i < object->type()->numAttributes(); ++i) {
    const c10::IValue& slot = object->getSlot(i);
    if (slot.isCapsule()) {
      add_without_digest(name, path, "packed (" + object->type()->name()->name() + ")");
    } else {
      add_value(slot, joined_path(name, object->type()->getAttributeName(i)), path);
    }
  }
  open_objects_.erase(object.get());
}

void Collector::add_elements(const c10::IValue& value, const std::string& name,
                             const std::string& path) {
  std::size_t index = 0;
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      const std::string key =
          entry.key().isString() ? entry.key().toStringRef() : std::to_string(index);
      add_value(entry.value(), joined_path(name, key), path);
      ++index;
    }
    return;
  }
  if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements())
      add_value(element, joined_path(name, std::to_string(index++)), path);
    return;
  }
  for (const c10::IValue& element : value.toListRef())
    add_value(element, joined_path(name, std::to_string(index++)), path);
}

void Collector::add_value(const c10::IValue& value, const std::string& name,
                          const std::string& path) {
  if (value.isTensor()) {
    add_tensor(value.toTensor(), name, path);
  } else if (value.isObject()) {
    add_object(value, name, path);
  } else if (value.isList() || value.isTuple() || value.isGenericDict()) {
    add_elements(value, name, path);
  }
}

void Collector::add_constant(const Node& node, Method& method) {
  const auto add = [&](const c10::IValue& value) {
    if (value.isTensor() && value.toTensor().defined())
      constant_elements_ += static_cast<std::uint64_t>(value.toTensor().numel());
    add_value(value, method.name + ".constant" + std::to_string(method.constants++), method.path);
  };
  switch (node.kindOf(c10::attr::value)) {
    case AttributeKind::t:
      return add(node.t(c10::attr::value));
    case AttributeKind::ts:
      for (const at::Tensor& tensor : node.ts(c10::attr::value)) add(tensor);
      return;
    case AttributeKind::ival:
      return add(node.ival(c10::attr::value));
    default:
      return;
  }
}

/// Functions have no module, and methods of plain classes none of their own: what they hold counts
/// for the method that names them first.
void Collector::add_called(const Node& node, Method& method) {
  if (node.kind() == c10::prim::CallMethod) {
    const auto type = node.inputs().at(0)->type()->cast<c10::ClassType>();
    if (!type || type->is_module()) return;
    torch::jit::Function* called = type->findMethod(node.s(c10::attr::name));
    if (called != nullptr) add_function(*called, method);
  } else if (const auto function = node.outputs().empty()
                                       ? nullptr
                                       : node.outputs().at(0)->type()->cast<c10::FunctionType>()) {
    add_function(*function->function(), method);
  }
}

void Collector::add_block(const Block& block, Method& method) {
  for (const Node* node : block.nodes()) {
    for (const Block* inner : node->blocks()) add_block(*inner, method);
    if (node->hasAttribute(c10::attr::Subgraph))
      add_block(*node->g(c10::attr::Subgraph)->block(), method);
    add_called(*node, method);
    if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value))
      add_constant(*node, method);
  }
}

void Collector::add_function(torch::jit::Function& function, Method& method) {
  torch::jit::GraphFunction* body = torch::jit::tryToGraphFunction(function);
  if (body == nullptr || !seen_functions_.insert(&function).second) return;
  body->ensure_defined();
  add_block(*body->graph()->block(), method);
}

void Collector::add_module(const c10::ivalue::Object& module, const std::string& path) {
  const c10::ClassType& type = *module.type();
  for (std::size_t i = 0; i < type.numAttributes(); ++i) {
    const c10::IValue& value = module.getSlot(i);
    if (type.is_parameter(i) && value.isTensor() && value.toTensor().defined())
      weights_.parameter_count += static_cast<std::uint64_t>(value.toTensor().numel());
    add_value(value, joined_path(path, type.getAttributeName(i)), path);
  }
  for (const auto& functions :
       {type.methods(), type.getForwardPreHooks(), type.getForwardHooks()}) {
    for (torch::jit::Function* function : functions) {
      Method method{path, joined_path(path, function->name())};
      add_function(*function, method);
    }
  }
}

ScriptWeights Collector::finish() && {
  if (weights_.parameter_count == 0) weights_.parameter_count = constant_elements_;
  std::sort(weights_.digests.begin(), weights_.digests.end(),
            [](const run::WeightDigest& one, const run::WeightDigest& other) {
              return one.name < other.name;
            });
  return std::move(weights_);
}

}  // namespace

ScriptWeights digest_script_weights(const torch::jit::Module& module) {
  Collector collector;
  collector.add_module(*module._ivalue(), "");
  return std::move(collector).finish();
}

}  // namespace parity::model
