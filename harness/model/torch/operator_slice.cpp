#include "model/torch/operator_slice.h"

#include <map>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "model/torch/operator_selection.h"

namespace parity::model {
namespace {

using torch::jit::Graph;
using torch::jit::Value;

const c10::TensorImpl* identity(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl(); }

class GraphBuilder {
 public:
  explicit GraphBuilder(const torch::jit::Module& module) {
    graph_->addInput("self")->setType(module._ivalue()->type());
  }

  void add(const RecordedCall& call) {
    std::vector<Value*> arguments;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      arguments.push_back(
          argument(call.inputs[i], call.given[i], call.schema.arguments().at(i).type()));
    }
    torch::jit::Node* node = graph_->insertNode(graph_->create(
        c10::Symbol::fromQualString(call.schema.name()), arguments, call.outputs.size()));
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      node->output(i)->setType(call.schema.returns().at(i).type());
      const c10::IValue& output = call.outputs[i];
      if (output.isTensor() && output.toTensor().defined())
        values_[identity(output.toTensor())] = node->output(i);
      if (output.isTensorList()) unpack(output, node->output(i));
    }
  }

  [[nodiscard]] std::shared_ptr<Graph> finish(const at::Tensor& result) {
    graph_->registerOutput(values_.at(identity(result)));
    return graph_;
  }
  [[nodiscard]] std::vector<at::Tensor> take_inputs() { return std::move(inputs_); }

 private:
  Value* argument(const c10::IValue& value, const c10::IValue& given, const c10::TypePtr& type) {
    if (value.isTensor() && value.toTensor().defined())
      return tensor(value.toTensor(), given.toTensor());
    if (value.isTensor()) return graph_->insertConstant(c10::IValue());
    bool holds_tensors = false;
    each_tensor(value, [&](const at::Tensor& /*tensor*/) { holds_tensors = true; });
    if (!holds_tensors) return graph_->insertConstant(value);
    const auto element_type = type->expectRef<c10::ListType>().getElementType();
    std::vector<Value*> elements;
    const auto list = value.toListRef();
    const auto list_given = given.toListRef();
    for (std::size_t i = 0; i < list.size(); ++i)
      elements.push_back(argument(list[i], list_given[i], element_type));
    return graph_->insertNode(graph_->createList(element_type, elements))->output();
  }

  Value* tensor(const at::Tensor& tensor, const at::Tensor& given) {
    const auto [found, is_new] = values_.emplace(identity(tensor), nullptr);
    if (is_new) {
      found->second = graph_->addInput()->setType(c10::TensorType::get());
      inputs_.push_back(given);
    }
    return found->second;
  }

  void unpack(const c10::IValue& list, Value* value) {
    const auto elements = list.toTensorVector();
    torch::jit::Node* node = graph_->insertNode(graph_->createListUnpack(value, elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].defined()) values_[identity(elements[i])] = node->output(i);
    }
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::map<const c10::TensorImpl*, Value*> values_;
  std::vector<at::Tensor> inputs_;
};

}  // namespace

OperatorSlice slice_for(const at::Tensor& tapped, const std::vector<RecordedCall>& calls) {
  OperatorSelection selection = select_for(tapped, calls);
  OperatorSlice slice{torch::jit::Module("Operators"),
                      {},
                      std::move(selection.calls),
                      std::move(selection.result),
                      tapped.clone()};
  if (slice.calls.empty()) return slice;
  slice.module.register_attribute("training", c10::BoolType::get(), false);
  GraphBuilder builder(slice.module);
  for (const RecordedCall& call : slice.calls) builder.add(call);
  const std::shared_ptr<Graph> graph = builder.finish(slice.result);
  slice.inputs = builder.take_inputs();
  const c10::QualifiedName name(*slice.module.type()->name(), "forward");
  torch::jit::Function* forward =
      slice.module._ivalue()->compilation_unit()->create_function(name, graph);
  slice.module.type()->addMethod(forward);
  return slice;
}

}  // namespace parity::model
