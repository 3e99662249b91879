// Private to model/: whether inputs are such as a program was exported for: constants as they were,
// dtypes, sizes under one assignment of its symbols, ranges and guards. Says what is wrong in
// words; free of torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/exported/program.h"
#include "model/exported/program_inputs.h"
#include "tensor/value.h"

namespace parity::model {

/// One tensor or number among the inputs.
struct InputLeaf {
  std::string name;  ///< for people: "pairs.0"
  std::string path;  ///< as guards spell it: "['pairs'][0]"; "" when none was given
  tensor::Value value;
};

/// "" when nothing is wrong. `own`: the inputs that `leaves` are for.
[[nodiscard]] std::string input_fault(const Program& program,
                                      const std::vector<const ProgramInput*>& own,
                                      const std::vector<InputLeaf>& leaves,
                                      FloatingInputs floating);

/// Guards of a form that is not known: nothing checks them.
[[nodiscard]] std::vector<std::string> unchecked_guards(const Program& program);

/// nullopt for what is no constant of Python's.
[[nodiscard]] std::optional<tensor::Value> value_of_constant(const ProgramArgument& argument);
[[nodiscard]] std::string constant_text(const ProgramArgument& argument);

/// "2*s0" for sympy's "Mul(Integer(2), Symbol('s0'))": symbols by their names alone.
[[nodiscard]] std::string short_expression(const std::string& expression);

/// " with s0 from 2 to 16, s1 from 2"; "" without symbols.
[[nodiscard]] std::string range_text(const Program& program);

}  // namespace parity::model
