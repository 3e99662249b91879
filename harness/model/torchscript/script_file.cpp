#include "model/torchscript/script_file.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/import.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/guard.h"
#include "model/torchscript/device_constants.h"

namespace parity::model {
namespace {

/// Methods that a person may want to run: Python's own (`__len__`) are left out.
std::vector<std::string> runnable_methods(const torch::jit::Module& module) {
  std::vector<std::string> names;
  for (const torch::jit::Method& method : module.get_methods()) {
    if (method.name().rfind("__", 0) != 0) names.push_back(method.name());
  }
  return names;
}

std::string chosen_method(const torch::jit::Module& module, const std::string& wanted) {
  const std::vector<std::string> names = runnable_methods(module);
  const std::string name = wanted.empty() ? "forward" : wanted;
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  if (wanted.empty() && names.size() == 1) return names.front();
  std::string listed;
  for (const std::string& each : names) listed.append(listed.empty() ? "" : ", ").append(each);
  throw Error(ErrorKind::usage,
              "the model has no method '" + name + "': " +
                  (listed.empty() ? "it has no methods at all, so there is nothing to run."
                                  : "name one of its own with --method (" + listed + ")."));
}

void add_weight(const std::string& name, const at::Tensor& tensor, ScriptFile& script) {
  if (!tensor.defined()) return;
  if (tensor.layout() != c10::kStrided || tensor.is_quantized() ||
      !dtype_of(tensor.scalar_type())) {
    script.notes.push_back("weight " + name +
                           " is sparse or quantised, so it has no digest in the golden");
    return;
  }
  const tensor::HostTensor host = to_host(tensor);
  script.description.weights.push_back(
      {name, host.dtype(), host.shape(), tensor::digest_of(host.bytes())});
}

/// Weights that freezing or tracing turned into constants of the graph, named by their order.
void add_constants(const torch::jit::Block* block, ScriptFile& script, std::uint64_t& elements) {
  for (const torch::jit::Node* node : block->nodes()) {
    for (const torch::jit::Block* inner : node->blocks()) add_constants(inner, script, elements);
    if (node->kind() != c10::prim::Constant || !node->hasAttribute(c10::attr::value)) continue;
    if (node->kindOf(c10::attr::value) != torch::jit::AttributeKind::t) continue;
    const at::Tensor& tensor = node->t(c10::attr::value);
    elements += static_cast<std::uint64_t>(tensor.numel());
    add_weight("<constant>." + std::to_string(script.description.weights.size()), tensor, script);
  }
}

void describe(const std::filesystem::path& file, ScriptFile& script) {
  run::ModelDescription& description = script.description;
  description.file_name = file.filename().string();
  description.kind = "torchscript";
  for (const auto& parameter : script.module.named_parameters()) {
    add_weight(parameter.name, parameter.value, script);
    description.parameter_count += static_cast<std::uint64_t>(parameter.value.numel());
  }
  for (const auto& buffer : script.module.named_buffers())
    add_weight(buffer.name, buffer.value, script);
  if (description.parameter_count == 0) {
    add_constants(script.module.get_method(script.method).graph()->block(), script,
                  description.parameter_count);
  }
  std::sort(description.weights.begin(), description.weights.end(),
            [](const run::WeightDigest& one, const run::WeightDigest& other) {
              return one.name < other.name;
            });
  description.all_weights = run::digest_of_weights(description.weights);
}

/// Module::to would cast integer buffers, too.
void cast_floating(torch::jit::Module& module, at::ScalarType dtype) {
  const auto cast = [&](at::Tensor tensor) {
    if (tensor.defined() && at::isFloatingType(tensor.scalar_type()) && !tensor.is_quantized()) {
      tensor.set_data(tensor.to(dtype));
    }
  };
  for (const at::Tensor& parameter : module.parameters()) cast(parameter);
  for (const at::Tensor& buffer : module.buffers()) cast(buffer);
}

}  // namespace

ScriptFile load_script(const std::filesystem::path& file, const std::string& method,
                       const c10::Device& device, const run::Settings& settings) {
  ScriptFile script;
  with_torch_errors("cannot read " + file.string() + " as TorchScript", [&] {
    // Straight to the device: moving the module later would leave tensors behind that tracing made
    // constants.
    script.module = torch::jit::load(file.string(), device);
  });
  script.method = chosen_method(script.module, method);
  with_torch_errors("cannot prepare " + file.string(), [&] {
    describe(file, script);
    if (script.module.is_training()) {
      script.notes.push_back("the model was saved in training mode; it is run in eval mode");
    }
    script.module.eval();
    if (settings.dtype) cast_floating(script.module, scalar_type_of(*settings.dtype));
    const std::size_t moved = move_device_constants(script.module, device);
    if (moved > 0) {
      script.notes.push_back(std::to_string(moved) +
                             " devices that are fixed in the model's code were replaced by " +
                             device.str());
    }
  });
  return script;
}

}  // namespace parity::model
