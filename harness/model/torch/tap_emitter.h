// Private to model/: names torch tensors as taps and hands them to the sink. Counts calls, flattens nested outputs.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "run/tap_stream.h"

namespace parity::model {

/// One per run: call indices start at 0.
class TapEmitter {
 public:
  explicit TapEmitter(run::TapSink& sink) : sink_(sink) {}

  /// Output of one call of the module at `path`. Nested outputs become ports; a lone tensor leaf has none.
  void module_output(const std::string& path, const c10::IValue& value);
  /// Output of one call of `op` ("aten.softmax") inside the module at `path`.
  void op_output(const std::string& path, const std::string& op, const c10::IValue& value);
  /// The model's own outputs.
  void model_output(const c10::IValue& value);

 private:
  void emit(run::TapId id, const c10::IValue& value);
  void emit_leaf(const run::TapId& id, const c10::IValue& value);

  run::TapSink& sink_;
  std::map<std::pair<std::string, std::string>, std::int64_t> calls_;
};

}  // namespace parity::model
