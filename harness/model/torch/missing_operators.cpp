#include "model/torch/missing_operators.h"

#include <algorithm>
#include <vector>

#include <torch/csrc/jit/frontend/builtin_functions.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class_detail.h>
#include <torch/version.h>

namespace parity::model {
namespace {

constexpr std::string_view kClasses = "__torch__.torch.classes.";
constexpr std::string_view kOwn = "aten::";

bool begins(const std::string& text, std::string_view start) { return text.rfind(start, 0) == 0; }

bool is_registered(const std::string& name) {
  if (begins(name, kClasses)) return torch::getCustomClass(name) != nullptr;
  const c10::Symbol symbol = c10::Symbol::fromQualString(name);
  return !torch::jit::getAllOperatorsFor(symbol).empty() ||
         !torch::jit::getAllBuiltinFunctionsFor(symbol).empty();
}

/// "my_ops::fused (layers blocks.0.mlp, blocks.1.mlp and 2 more)"
std::string with_layers(const ScriptCall& call) {
  constexpr std::size_t kMost = 3;
  const bool is_class = begins(call.name, kClasses);
  std::string text = is_class ? "class " + call.name.substr(kClasses.size()) : call.name;
  std::string layers;
  for (std::size_t i = 0; i < std::min(call.layers.size(), kMost); ++i) {
    const std::string& layer = call.layers[i];
    layers += (i == 0 ? "" : ", ") + (layer.empty() ? "the model's own code" : layer);
  }
  if (call.layers.size() > kMost)
    layers += " and " + std::to_string(call.layers.size() - kMost) + " more";
  return text + " (in " + layers + ")";
}

}  // namespace

std::string listed_with_layers(const std::vector<ScriptCall>& calls) {
  std::string text;
  for (const ScriptCall& call : calls) text += (text.empty() ? "" : ", ") + with_layers(call);
  return text;
}

std::string text_of_missing(const std::vector<ScriptCall>& missing) {
  std::vector<ScriptCall> custom;
  std::vector<ScriptCall> own;
  for (const ScriptCall& call : missing) (begins(call.name, kOwn) ? own : custom).push_back(call);
  std::string text;
  if (!custom.empty()) {
    text = "no library registers " + listed_with_layers(custom) +
           "; give those that do with --library FILE.so before anything can run; an operator that "
           "Python code defines (torch.library, Triton) is in no library and needs a C++ form "
           "(docs/custom-operators.md)";
  }
  if (!own.empty()) {
    text += (text.empty() ? "" : "; and ") + std::string("PyTorch ") + TORCH_VERSION +
            " does not have " + listed_with_layers(own) +
            ": the model was saved by another version, so export "
            "it with this one";
  }
  return text;
}

std::string missing_operators(const std::filesystem::path& file) {
  std::vector<ScriptCall> missing;
  for (ScriptCall& call : script_calls(file)) {
    if (!is_registered(call.name)) missing.push_back(std::move(call));
  }
  return text_of_missing(missing);
}

}  // namespace parity::model
