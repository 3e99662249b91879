// Private to the decoder: runs one module's body and hands its output out under the module's path,
// or to nobody. The seam at which a forward pass is observed; knows no architecture.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "model/model.h"
#include "model/torch/tap_emitter.h"
#include "run/settings.h"

namespace parity::model {

class ForwardTaps {
 public:
  ForwardTaps(TapEmitter& emitter, Instrumentation instrumentation, run::TapDepth depth)
      : emitter_(emitter), instrumentation_(instrumentation), depth_(depth) {}

  /// Output of `body`, tapped as module `path`. Throws Error with the innermost path whose body
  /// failed.
  at::Tensor module(const std::string& path, const std::function<at::Tensor()>& body) const;
  /// The same for a module with several outputs: ports "0", "1", ...
  void module_outputs(const std::string& path, const std::vector<at::Tensor>& outputs) const;
  /// Output of a numerically heavy operator inside the module at `path`.
  void op(const std::string& path, const char* op, const at::Tensor& output) const;
  /// An operator that fires at depth ops alone.
  void light_op(const std::string& path, const char* op, const at::Tensor& output) const;

 private:
  [[nodiscard]] bool fires() const { return instrumentation_ == Instrumentation::taps; }

  TapEmitter& emitter_;
  Instrumentation instrumentation_;
  run::TapDepth depth_;
};

}  // namespace parity::model
