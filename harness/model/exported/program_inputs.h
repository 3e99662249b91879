// Private to model/: from the inputs of a case to the arguments of an exported program, in the
// order of its graph, checked against what it was exported for: structure, dtypes, constants,
// sizes, ranges and guards. Free of torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/exported/program.h"
#include "tensor/value.h"

namespace parity::model {

/// Whether floating inputs are cast before the program sees them: then their dtype is free.
enum class FloatingInputs : std::uint8_t { as_given, cast };

/// One value for each user input and constant of `program.inputs`, in their order. `inputs`: a
/// tuple or list gives positional arguments, a dict keyword arguments, anything else the only one;
/// arguments that the program holds as constants may be left out. Throws Error(usage) in one
/// sentence: what does not fit, what the program takes, and what it was exported for.
[[nodiscard]] std::vector<tensor::Value> program_arguments(const Program& program,
                                                           const tensor::Value& inputs,
                                                           FloatingInputs floating);

/// "(input_ids: int64 [batch s0, 8], use_cache=False)".
[[nodiscard]] std::string program_signature(const Program& program);

}  // namespace parity::model
