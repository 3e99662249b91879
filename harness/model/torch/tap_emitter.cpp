#include "model/torch/tap_emitter.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

#include "error/last_words.h"
#include "model/torch/bridge.h"
#include "model/torch/device_tensor.h"
#include "model/torch/forced_value.h"

namespace parity::model {
namespace {

struct Leaf {
  std::string port;
  c10::IValue value;
};

std::string joined(const std::string& port, const std::string& part) {
  return port.empty() ? part : port + "." + part;
}

std::string key_text(const c10::IValue& key, std::size_t position) {
  // An empty port would say that there is no other output.
  if (key.isString()) return key.toStringRef().empty() ? "''" : key.toStringRef();
  if (key.isInt()) return std::to_string(key.toInt());
  return std::to_string(position);
}

bool is_tensor(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }
bool is_nothing(const c10::IValue& value) {
  return value.isNone() || (value.isTensor() && !value.toTensor().defined());
}

/// A list of plain numbers or strings is one leaf: a thousand skipped ints would say nothing.
bool is_plain_list(const c10::IValue& value) {
  if (!value.isList() || value.isTensorList()) return false;
  const auto list = value.toListRef();
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const c10::IValue& item) {
    return item.isScalar() || item.isString();
  });
}

void collect(const std::string& port, const c10::IValue& value, std::vector<Leaf>& leaves) {
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    const auto type = value.type()->expect<c10::TupleType>();
    const auto& schema = type->schema();  // of a named tuple alone
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::string part = schema ? schema->arguments()[i].name() : std::to_string(i);
      collect(joined(port, part), elements[i], leaves);
    }
  } else if (value.isList() && !is_plain_list(value)) {
    const auto list = value.toListRef();
    for (std::size_t i = 0; i < list.size(); ++i)
      collect(joined(port, std::to_string(i)), list[i], leaves);
  } else if (value.isGenericDict()) {
    std::size_t position = 0;
    for (const auto& entry : value.toGenericDict()) {
      collect(joined(port, key_text(entry.key(), position++)), entry.value(), leaves);
    }
  } else {
    leaves.push_back({port, value});
  }
}

/// Why a tensor cannot be captured; empty when it can.
std::string obstacle(const at::Tensor& tensor) {
  if (tensor.is_nested())
    return "a nested tensor has no single shape; parity compares dense tensors";
  if (tensor.is_quantized()) return "a quantised tensor; parity compares dense unquantised tensors";
  if (tensor.is_meta()) return "a meta tensor holds no values";
  if (tensor.layout() != c10::kStrided && tensor.layout() != c10::kMkldnn) {
    return "a sparse tensor; parity compares dense tensors";
  }
  if (!dtype_of(tensor.scalar_type())) {
    return std::string("a tensor of type ") + at::toString(tensor.scalar_type()) +
           ", which parity has no dtype for";
  }
  return {};
}

std::string kind_of(const c10::IValue& value) {
  if (value.isNone()) return "None";
  if (value.isList() && value.toListRef().empty()) return "an empty list";
  return "of type " + value.type()->annotation_str();
}

}  // namespace

std::int64_t TapEmitter::next_call(const std::string& path, const std::string& op) {
  return calls_[{path, op}]++;
}

void TapEmitter::module_output(const std::string& path, const c10::IValue& value) {
  emit({run::TapKind::module, path, "", next_call(path, ""), ""}, value);
}

void TapEmitter::op_output(const std::string& path, const std::string& op,
                           const c10::IValue& value) {
  emit({run::TapKind::op, path, op, next_call(path, op), ""}, value);
}

void TapEmitter::model_output(const c10::IValue& value) {
  const std::string path(run::kOutputPath);
  emit({run::TapKind::output, path, "", next_call(path, ""), ""}, value);
}

void TapEmitter::emit(run::TapId id, const c10::IValue& value) {
  // Operators of a copy to the host are none of the model's.
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  std::vector<Leaf> leaves;
  collect("", value, leaves);
  std::erase_if(leaves, [](const Leaf& leaf) { return is_nothing(leaf.value); });
  const auto tensors = std::count_if(leaves.begin(), leaves.end(),
                                     [](const Leaf& leaf) { return is_tensor(leaf.value); });
  if (leaves.empty()) {
    sink_.on_skipped(id, "the value is " + kind_of(value) + " and holds no tensor");
    return;
  }
  for (const Leaf& leaf : leaves) {
    run::TapId leaf_id = id;
    if (tensors != 1 || !is_tensor(leaf.value)) leaf_id.port = leaf.port;
    emit_leaf(leaf_id, leaf.value);
  }
}

void TapEmitter::emit_leaf(const run::TapId& id, const c10::IValue& value) {
  if (!is_tensor(value)) {
    sink_.on_skipped(id, "the value is " + kind_of(value) + ", not a tensor");
    return;
  }
  const at::Tensor& tensor = value.toTensor();
  const std::string reason = obstacle(tensor);
  if (!reason.empty()) {
    sink_.on_skipped(id, "the value is " + reason);
    return;
  }
  const at::Tensor dense = tensor.layout() == c10::kMkldnn ? tensor.to_dense() : tensor;
  ++emitted_;
  last_tap_ = run::to_string(id);
  note_last_tap(last_tap_);
  sink_.on_tap(id, TorchDeviceTensor(dense, last_tap_));
  if (const std::optional<tensor::TensorView> forced = sink_.forced_value(id)) {
    const std::string refusal = overwrite(tensor, *forced);
    if (!refusal.empty()) sink_.on_not_forced(id, refusal);
  }
}

}  // namespace parity::model
