#include "model/torch/operator_slice.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace parity::model {
namespace {

using torch::jit::Graph;
using torch::jit::Value;

const c10::TensorImpl* identity(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl(); }

template <typename Visit>
void each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) each_tensor(element, visit);
  }
}

template <typename Visit>
void each_tensor(const std::vector<c10::IValue>& values, const Visit& visit) {
  for (const c10::IValue& value : values) each_tensor(value, visit);
}

/// The same values in the same memory, though another handle.
bool is_same_view(const at::Tensor& one, const at::Tensor& other) {
  return one.numel() > 0 && one.data_ptr() == other.data_ptr() && one.sizes() == other.sizes() &&
         one.strides() == other.strides() && one.scalar_type() == other.scalar_type();
}

/// Calls are kept when the result, or a call that is kept, uses what they returned.
class Selection {
 public:
  Selection(const at::Tensor& result, const std::vector<RecordedCall>& calls) : calls_(calls) {
    for (std::size_t i = calls.size(); i-- > 0;) {
      each_tensor(calls[i].outputs, [&](const at::Tensor& output) {
        if (result_.defined() || !is_same_view(output, result)) return;
        result_ = output;
        last_ = identity(output);
      });
    }
    if (last_ == nullptr) return;
    std::set<const c10::TensorImpl*> needed = {last_};
    for (std::size_t i = calls.size(); i-- > 0;) {
      bool used = false;
      each_tensor(calls[i].outputs, [&](const at::Tensor& output) {
        used = used || needed.count(identity(output)) != 0;
      });
      if (!used) continue;
      kept_.push_back(i);
      each_tensor(calls[i].inputs,
                  [&](const at::Tensor& input) { needed.insert(identity(input)); });
    }
    std::reverse(kept_.begin(), kept_.end());
  }

  [[nodiscard]] const at::Tensor& result() const { return result_; }
  [[nodiscard]] std::vector<RecordedCall> kept() const {
    std::vector<RecordedCall> kept;
    for (const std::size_t place : kept_) kept.push_back(calls_[place]);
    return kept;
  }

 private:
  const std::vector<RecordedCall>& calls_;
  std::vector<std::size_t> kept_;
  at::Tensor result_;
  const c10::TensorImpl* last_ = nullptr;
};

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

  [[nodiscard]] std::shared_ptr<Graph> finish(const c10::TensorImpl* result) {
    graph_->registerOutput(values_.at(result));
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

OperatorSlice slice_for(const at::Tensor& result, const std::vector<RecordedCall>& calls) {
  const Selection selection(result, calls);
  OperatorSlice slice{torch::jit::Module("Operators"), {}, selection.kept(), selection.result()};
  if (slice.calls.empty()) return slice;
  slice.module.register_attribute("training", c10::BoolType::get(), false);
  GraphBuilder builder(slice.module);
  for (const RecordedCall& call : slice.calls) builder.add(call);
  const std::shared_ptr<Graph> graph = builder.finish(identity(slice.result));
  slice.inputs = builder.take_inputs();
  const c10::QualifiedName name(*slice.module.type()->name(), "forward");
  torch::jit::Function* forward =
      slice.module._ivalue()->compilation_unit()->create_function(name, graph);
  slice.module.type()->addMethod(forward);
  return slice;
}

}  // namespace parity::model
