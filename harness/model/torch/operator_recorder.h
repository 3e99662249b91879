// Private to model/: the calls of operators that the dispatcher makes on this thread, with their
// arguments and results. Knows no taps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace parity::model {

/// Who makes a call: the model, or whoever runs its calls again and needs a view for them.
enum class Caller : std::uint8_t { model, replay };

/// One call that came from the model itself, not from inside another operator.
struct RecordedCall {
  c10::FunctionSchema schema;
  std::vector<c10::IValue> inputs;   ///< as passed; tensors may have been written to since
  std::vector<c10::IValue> outputs;  ///< as returned
  /// Inputs with tensors as they were at the call, strides kept. What the call writes to is a view
  /// of a copy of its whole storage.
  std::vector<c10::IValue> given;
  /// Outputs with tensors as they were when it returned; what only views an input is as returned.
  std::vector<c10::IValue> made;
  std::string source;  ///< file:line where the model's file says so; else empty
  Caller caller = Caller::model;
};

/// Calls `visit` with every defined tensor in a value or, one level down or more, in its lists.
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

/// Whether the schema says that the operator writes to an argument.
[[nodiscard]] inline bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// Whether an output is memory that none of the inputs has.
[[nodiscard]] bool is_fresh(const at::Tensor& output, const std::vector<c10::IValue>& inputs);

/// "aten.softmax"
[[nodiscard]] std::string dotted_name(const c10::FunctionSchema& schema);

/// Listens on the thread that made it while it lives; one at a time.
class OperatorRecorder {
 public:
  OperatorRecorder();
  ~OperatorRecorder();
  OperatorRecorder(const OperatorRecorder&) = delete;
  OperatorRecorder& operator=(const OperatorRecorder&) = delete;

  void start();
  void stop();
  /// Throws what recording threw, such as a lack of memory for the copies.
  [[nodiscard]] std::vector<RecordedCall> take();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace parity::model
