#include "model/torchscript/script_fixture.h"

#include <cstring>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/graph_iterator.h>

#include "model/torch/bridge.h"

namespace parity::model {
namespace {

c10::IValue packed_linear(const tensor::HostTensor& weight) {
  const at::Tensor quantised =
      at::quantize_per_tensor(to_torch(weight), /*scale=*/0.1, /*zero_point=*/0, c10::kQInt8);
  torch::jit::Stack stack = {quantised, c10::IValue()};
  c10::Dispatcher::singleton().findSchemaOrThrow("quantized::linear_prepack", "").callBoxed(stack);
  return stack.at(0);
}

/// What freezing does to one attribute.
void fold_into_graphs(torch::jit::Module& module, const std::string& attribute) {
  const at::Tensor tensor = module.attr(attribute).toTensor();
  for (torch::jit::Function* method : module.type()->methods()) {
    std::shared_ptr<torch::jit::Graph> graph = torch::jit::toGraphFunction(*method).graph();
    std::vector<torch::jit::Node*> reads;
    torch::jit::DepthFirstGraphNodeIterator nodes(graph);
    for (torch::jit::Node* node = nodes.next(); node != nullptr; node = nodes.next()) {
      if (node->kind() == c10::prim::GetAttr && node->s(c10::attr::name) == attribute)
        reads.push_back(node);
    }
    for (torch::jit::Node* read : reads) {
      const torch::jit::WithInsertPoint point(read);
      read->output()->replaceAllUsesWith(graph->insertConstant(tensor));
      read->destroy();
    }
  }
  const std::size_t slot = module.type()->getAttributeSlot(attribute);
  module._ivalue()->unsafeRemoveSlot(slot);
  module.type()->unsafeRemoveAttribute(attribute);
}

/// torch.relu, and parity_sloppy.third of sloppy_operators.cpp.
struct OperatorNames final : torch::jit::Resolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(
      const std::string& name, torch::jit::GraphFunction& /*method*/,
      const torch::jit::SourceRange& /*place*/) override {
    if (name == "torch") return std::make_shared<torch::jit::BuiltinModule>("aten");
    if (name == "parity_sloppy") return std::make_shared<torch::jit::BuiltinModule>(name);
    return nullptr;
  }
};

torch::jit::Module build(const ScriptSpec& spec, const std::string& name) {
  torch::jit::Module module(name);
  module.register_attribute("training", c10::BoolType::get(), spec.mode == SavedMode::training);
  for (const auto& [key, value] : spec.parameters) {
    module.register_parameter(key, to_torch(value).clone(), /*is_buffer=*/false);
  }
  for (const auto& [key, value] : spec.buffers)
    module.register_buffer(key, to_torch(value).clone());
  for (const auto& attributes : {spec.attributes, spec.constants}) {
    for (const auto& [key, value] : attributes)
      module.register_attribute(key, c10::TensorType::get(), to_torch(value).clone());
  }
  for (const auto& [key, value] : spec.packed) {
    const c10::IValue object = packed_linear(value);
    module.register_attribute(key, object.type(), object);
  }
  for (const auto& [key, child] : spec.children)
    module.register_module(key, build(child, name + "_" + key));
  for (const auto& [key, child] : spec.second_names)
    module.register_module(key, module.attr(child).toModule());
  module.define(spec.source, std::make_shared<OperatorNames>());
  for (const auto& [key, value] : spec.constants) fold_into_graphs(module, key);
  return module;
}

}  // namespace

std::filesystem::path save_script(const ScriptSpec& spec, const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("parity_" + name + ".pt");
  build(spec, name).save(file.string());
  return file;
}

ScriptSpec linear_spec(std::int64_t size) {
  std::vector<float> weight;
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < size; ++j) weight.push_back(static_cast<float>(i - j));
  }
  const auto bytes = std::as_bytes(std::span(weight));
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return torch.matmul(x, self.weight)\n";
  spec.parameters.emplace_back(
      "weight", tensor::HostTensor(tensor::DType::float32, {size, size},
                                   std::vector<std::byte>(bytes.begin(), bytes.end())));
  return spec;
}

tensor::HostTensor counting(const tensor::Shape& shape) {
  std::vector<float> values(tensor::element_count(shape));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5F * static_cast<float>(i + 1);
  const auto bytes = std::as_bytes(std::span(values));
  return {tensor::DType::float32, shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

tensor::HostTensor integers(const tensor::Shape& shape, std::vector<std::int64_t> values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {tensor::DType::int64, shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

run::Settings cpu_settings() {
  run::Settings settings;
  settings.device = "cpu";
  settings.threads = 1;
  return settings;
}

std::unique_ptr<Model> open_script(const std::filesystem::path& file, const run::Settings& settings,
                                   const std::string& method) {
  Source source;
  source.model = file;
  source.method = method;
  return open_model(source, settings);
}

}  // namespace parity::model
