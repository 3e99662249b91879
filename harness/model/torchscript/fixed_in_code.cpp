#include "model/torchscript/fixed_in_code.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "model/exported/fixed_choices.h"
#include "model/torch/bridge.h"
#include "model/torchscript/op_choice.h"
#include "tensor/dtype.h"

namespace parity::model {
namespace {

using torch::jit::Block;
using torch::jit::Node;

/// Calls `visit` for every node of every method, with the path of its module.
void visit_nodes(const Block* block, const std::function<void(const Node&)>& visit) {
  for (const Node* node : block->nodes()) {
    visit(*node);
    for (const Block* inner : node->blocks()) visit_nodes(inner, visit);
  }
}

void visit_nodes(const torch::jit::Module& module,
                 const std::function<void(const Node&, const std::string& path)>& visit) {
  for (const auto& layer : module.named_modules()) {
    for (torch::jit::Function* method : layer.value.type()->methods()) {
      auto* body = torch::jit::tryToGraphFunction(*method);
      if (body == nullptr) continue;
      visit_nodes(body->graph()->block(), [&](const Node& node) { visit(node, layer.name); });
    }
  }
}

/// The constant that an operator is given for its argument `dtype`.
std::optional<at::ScalarType> told_dtype(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr) return std::nullopt;
  const auto& arguments = schema->arguments();
  for (std::size_t i = 0; i < arguments.size() && i < node.inputs().size(); ++i) {
    if (arguments[i].name() != "dtype") continue;
    // Most calls leave it open: then the constant is None.
    const std::optional<at::IValue> told = torch::jit::toIValue(node.inputs()[i]);
    if (told && told->isInt()) return static_cast<at::ScalarType>(told->toInt());
  }
  return std::nullopt;
}

std::string place_of(const Node& node, const std::string& path) {
  return "op " + op_name(node) + " of " + (path.empty() ? "the model" : "layer " + path);
}

void add(std::vector<std::string>& places, const std::string& place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

}  // namespace

std::string fixed_dtypes(const torch::jit::Module& module, at::ScalarType wanted) {
  std::vector<std::string> places;
  visit_nodes(module, [&](const Node& node, const std::string& path) {
    const std::optional<at::ScalarType> told = told_dtype(node);
    if (!told || *told == wanted || !c10::isFloatingType(*told)) return;
    const auto name = dtype_of(*told);
    add(places, place_of(node, path) + (name ? " (" + std::string(tensor::name(*name)) + ")" : ""));
  });
  return places.empty() ? "" : "a dtype is fixed in " + listed_places(places);
}

std::string fixed_devices(const torch::jit::Module& module) {
  static const c10::Symbol kCuda = c10::Symbol::fromQualString("aten::cuda");
  static const c10::Symbol kCpu = c10::Symbol::fromQualString("aten::cpu");
  static const c10::Symbol kDevice = c10::Symbol::fromQualString("aten::device");
  std::vector<std::string> places;
  visit_nodes(module, [&](const Node& node, const std::string& path) {
    const c10::Symbol kind = node.kind();
    if (kind == kCuda || kind == kCpu || kind == kDevice) add(places, place_of(node, path));
  });
  return places.empty() ? "" : "a device is fixed in " + listed_places(places);
}

}  // namespace parity::model
