// Private to model/: from recorded calls of operators to a TorchScript module that runs those alone
// that one value depends on.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "model/torch/operator_recorder.h"

namespace parity::model {

struct OperatorSlice {
  torch::jit::Module module;        ///< forward(Tensor...) -> Tensor
  std::vector<at::Tensor> inputs;   ///< its arguments, as they were
  std::vector<RecordedCall> calls;  ///< those that the result depends on, in execution order
  at::Tensor result;                ///< the handle among theirs that holds the value
  at::Tensor value;                 ///< what it was in the run
};

/// The calls that the value of `tapped` depends on (see OperatorSelection); `calls` is empty in the
/// slice when none of them made it.
[[nodiscard]] OperatorSlice slice_for(const at::Tensor& tapped,
                                      const std::vector<RecordedCall>& calls);

}  // namespace parity::model
