// Private to model/: the JSON text of an exported program, as plain data. Checks the version of the
// schema and that the text has the form that it promises; what operators mean is not known here.
#pragma once

#include <string>
#include <string_view>

#include "model/exported/program.h"

namespace parity::model {

/// `label` names the file in errors. Throws Error(model) in one sentence: another major version of
/// the schema, no JSON, a graph that is not of the form that the schema gives it, inputs that are
/// no tensors, numbers or constants (custom objects, tokens of effects).
[[nodiscard]] Program parse_program(std::string_view text, const std::string& label);

/// A tree of containers as `pytree` writes it. Throws Error(model).
[[nodiscard]] TreeSpec parse_tree_spec(const std::string& text, const std::string& label);

}  // namespace parity::model
