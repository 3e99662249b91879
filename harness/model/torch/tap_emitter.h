// Private to model/: names torch tensors as taps and hands them to the sink. Counts calls, flattens
// nested outputs. Knows neither which model runs nor what becomes of the taps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "run/tap_stream.h"

namespace parity::model {

/// One per run: call indices start at 0.
/// Nested outputs become ports: index in a tuple or list, field of a named tuple, key of a dict,
/// joined with dots. A value with a single tensor in it has no port, wherever that tensor sits.
/// Leaves that are None are left out; other leaves without a tensor, and tensors that are sparse or
/// quantised, go to the sink as skipped.
class TapEmitter {
 public:
  explicit TapEmitter(run::TapSink& sink) : sink_(sink) {}

  /// Output of one call of the module at `path`.
  void module_output(const std::string& path, const c10::IValue& value);
  /// Output of one call of `op` ("aten.softmax") inside the module at `path`.
  void op_output(const std::string& path, const std::string& op, const c10::IValue& value);
  /// The model's own outputs; once more for each step of a decode.
  void model_output(const c10::IValue& value);

  /// Tensors handed to the sink so far.
  [[nodiscard]] std::int64_t emitted() const { return emitted_; }
  /// Name of the last of them; empty before the first.
  [[nodiscard]] const std::string& last_tap() const { return last_tap_; }

 private:
  void emit(run::TapId id, const c10::IValue& value);
  void emit_leaf(const run::TapId& id, const c10::IValue& value);
  [[nodiscard]] std::int64_t next_call(const std::string& path, const std::string& op);

  run::TapSink& sink_;
  std::map<std::pair<std::string, std::string>, std::int64_t> calls_;
  std::int64_t emitted_ = 0;
  std::string last_tap_;
};

}  // namespace parity::model
