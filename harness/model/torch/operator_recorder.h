// Private to model/: the calls of operators that the dispatcher makes on this thread, with their
// arguments and results. Knows no taps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace parity::model {

/// One call that came from the model itself, not from inside another operator.
struct RecordedCall {
  c10::FunctionSchema schema;
  std::vector<c10::IValue> inputs;   ///< as passed; tensors may have been written to since
  std::vector<c10::IValue> outputs;  ///< as returned
  std::vector<c10::IValue> given;    ///< inputs with tensors as they were at the call
  std::string source;                ///< file:line of TorchScript; else empty
};

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
