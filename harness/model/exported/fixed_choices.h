// Private to model/: devices and dtypes that a program's operators are told to use, as exporting
// writes them there. Puts the run's device in their place; says where dtypes are fixed. Free of
// torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/exported/flat_graph.h"
#include "tensor/dtype.h"

namespace parity::model {

struct Replaced {
  std::size_t devices = 0;
  std::string dtypes;  ///< "op aten.to of layer norm (bfloat16) and 2 more"; "" when there are none
};

/// In `graph` and the graphs inside it: every device becomes `device`. Where the run has a dtype of
/// its own, floating dtypes that hold less become it, and what the program asserts of dtypes is
/// left out. Another fixed dtype stays: it may be meant.
[[nodiscard]] Replaced replace_fixed_choices(FlatGraph& graph, const DeviceName& device,
                                             std::optional<tensor::DType> run_dtype);

/// "a dtype is fixed in op aten.to of layer norm (float32), op aten.ones of the model (float64) and
/// 2 more": floating dtypes other than `wanted`. "" when there is none.
[[nodiscard]] std::string fixed_dtypes_of(const FlatGraph& graph, tensor::DType wanted);

/// "a, b, c and 2 more"
[[nodiscard]] std::string listed_places(const std::vector<std::string>& places);

/// "op aten.linear of layer fc", "op aten.add of the model".
[[nodiscard]] std::string place_of(const ProgramNode& node);

}  // namespace parity::model
