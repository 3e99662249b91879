// Private to model/: which of the recorded calls a value depends on, followed through the memory
// that they read and write, so that a write through any view counts. Builds and runs nothing.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "model/torch/operator_recorder.h"

namespace parity::model {

struct OperatorSelection {
  /// In execution order; among them calls of Caller::replay (aten::as_strided), where several views
  /// of one memory came from outside and one is written to.
  std::vector<RecordedCall> calls;
  at::Tensor result;  ///< an output or input of `calls`; undefined when there are none
};

/// The calls that the memory of `tapped` depends on; none when they left it alone. Calls that hand
/// out memory without values (aten::empty) are left out: what was put there unseen is a constant.
[[nodiscard]] OperatorSelection select_for(const at::Tensor& tapped,
                                           const std::vector<RecordedCall>& calls);

}  // namespace parity::model
