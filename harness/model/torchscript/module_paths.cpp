#include "model/torchscript/module_paths.h"

#include <algorithm>
#include <cctype>

namespace parity::model {
namespace {

using torch::jit::Node;
using torch::jit::Value;
namespace prim = c10::prim;

}  // namespace

ModulePaths::ModulePaths(const torch::jit::Module& root) { add(root._ivalue(), ""); }

void ModulePaths::add(const c10::intrusive_ptr<c10::ivalue::Object>& module,
                      const std::string& path) {
  if (!paths_.emplace(module.get(), path).second) return;
  const auto type = module->type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    const c10::IValue& attribute = module->getSlot(i);
    if (!attribute.isObject() || !attribute.toObjectRef().type()->is_module()) continue;
    add(attribute.toObject(), joined_path(path, type->getAttributeName(i)));
  }
}

std::optional<Frame> ModulePaths::resolve(const Value* value, const Frame& frame) const {
  if (value == frame.self) return frame;
  const Node* node = value->node();
  if (node->kind() == prim::unchecked_cast) return resolve(node->input(0), frame);
  if (node->kind() != prim::GetAttr) return std::nullopt;
  const std::optional<Frame> parent = resolve(node->input(0), frame);
  if (!parent || !parent->object) return std::nullopt;
  const std::string& name = node->s(c10::attr::name);
  const auto slot = parent->object->type()->findAttributeSlot(name);
  if (!slot) return std::nullopt;
  const c10::IValue& attribute = parent->object->getSlot(*slot);
  if (!attribute.isObject()) return std::nullopt;
  const auto known = paths_.find(&attribute.toObjectRef());
  return Frame{value, attribute.toObject(),
               known == paths_.end() ? joined_path(parent->path, name) : known->second};
}

std::string joined_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

bool is_forward(const std::string& method) {
  static const std::string kForward = "forward";
  if (method.rfind(kForward, 0) != 0) return false;
  std::size_t rest = kForward.size();
  if (method.compare(rest, 2, "__") == 0) rest += 2;
  return std::all_of(method.begin() + static_cast<std::ptrdiff_t>(rest), method.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string call_path(const std::string& path, const std::string& method) {
  return is_forward(method) ? path : joined_path(path, method);
}

}  // namespace parity::model
