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
  at::Tensor result;                ///< as the last of them returned it
};

/// The calls that `result` depends on; `calls` is empty in the slice when none of them made it.
[[nodiscard]] OperatorSlice slice_for(const at::Tensor& result,
                                      const std::vector<RecordedCall>& calls);

}  // namespace parity::model
