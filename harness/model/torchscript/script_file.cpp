#include "model/torchscript/script_file.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/import.h>

#include "error/error.h"
#include "model/torch/cast.h"
#include "model/torch/failure.h"
#include "model/torch/guard.h"
#include "model/torch/missing_operators.h"
#include "model/torchscript/device_constants.h"
#include "model/torchscript/weight_digests.h"

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

void describe(const std::filesystem::path& file, ScriptFile& script) {
  ScriptWeights weights = digest_script_weights(script.module);
  run::ModelDescription& description = script.description;
  description.file_name = file.filename().string();
  description.kind = "torchscript";
  description.parameter_count = weights.parameter_count;
  description.weights = std::move(weights.digests);
  description.all_weights = run::digest_of_weights(description.weights);
  script.notes.insert(script.notes.end(), weights.notes.begin(), weights.notes.end());
}

/// Throws Error(model) that names all operators nobody registered, where that is why.
torch::jit::Module loaded(const std::filesystem::path& file, const c10::Device& device) {
  torch::jit::Module module;
  with_torch_errors("cannot read " + file.string() + " as TorchScript", [&] {
    try {
      // Straight to the device: moving the module later would leave tensors behind that tracing
      // made constants.
      module = torch::jit::load(file.string(), device);
    } catch (const std::exception& error) {
      if (read_failure(error.what()).fault != Fault::unknown_operator) throw;
      const std::string missing = missing_operators(file);
      if (missing.empty()) throw;
      throw Error(ErrorKind::model, "cannot run " + file.string() + ": " + missing)
          .with_detail(error.what());
    }
  });
  return module;
}

/// Module::to would cast integer buffers, too.
void cast_floating(torch::jit::Module& module, const Cast& cast) {
  const auto replace = [&](at::Tensor tensor) {
    if (tensor.defined()) tensor.set_data(cast(tensor));
  };
  for (const at::Tensor& parameter : module.parameters()) replace(parameter);
  for (const at::Tensor& buffer : module.buffers()) replace(buffer);
}

}  // namespace

ScriptFile load_script(const std::filesystem::path& file, const std::string& method,
                       const c10::Device& device, const run::Settings& settings) {
  ScriptFile script;
  script.module = loaded(file, device);
  script.method = chosen_method(script.module, method);
  with_torch_errors("cannot prepare " + file.string(), [&] {
    describe(file, script);
    if (script.module.is_training()) {
      script.notes.push_back("the model was saved in training mode; it is run in eval mode");
    }
    script.module.eval();
    if (settings.dtype) cast_floating(script.module, cast_of(settings));
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
