// Private to model/: from the arguments of a node to the values that an operator's schema asks for.
// Knows types, nothing of what operators do.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include "model/exported/number_functions.h"
#include "model/exported/program.h"

namespace parity::model {

/// Values by slot; None where none is, or none any more.
using Slots = std::vector<c10::IValue>;

/// One value for each argument of the schema, defaults filled in. A number in the place of a tensor
/// becomes one that takes part in type promotion as a number. Throws Error(model) for an argument
/// that is missing; misfit_of() has refused those of another kind. What is neither is for the
/// operator to judge.
[[nodiscard]] torch::jit::Stack operator_arguments(const c10::FunctionSchema& schema,
                                                   const std::vector<NamedArgument>& given,
                                                   const Slots& slots);

/// As it is, without a type that asks for another: what higher-order operators and outputs take.
[[nodiscard]] c10::IValue plain_value(const ProgramArgument& argument, const Slots& slots);

/// nullopt for what is no number.
[[nodiscard]] std::optional<Number> number_in(const c10::IValue& value);
[[nodiscard]] c10::IValue number_value(const Number& number);

}  // namespace parity::model
