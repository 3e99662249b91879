// Private to model/: sizes and conditions that an exported program states as text: sympy's
// expressions over symbols ("Mul(Integer(2), Symbol('s0'))") and Python's over the inputs
// ("L['x'].size()[0] >= 2"). Evaluates numbers alone; runs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/exported/number_functions.h"

namespace parity::model {

/// What an expression may refer to. Inputs are named by their path below Python's `L`, keys in
/// brackets: "['x']", "['pairs'][0]['k']".
struct ExpressionNames {
  std::function<std::optional<Number>(const std::string& symbol)> symbol;
  std::function<std::optional<Number>(const std::string& path)> number;
  std::function<std::optional<std::int64_t>(const std::string& path, std::int64_t dimension)> size;
};

/// nullopt when the text has a form or a name that is not known: then nothing can be said.
[[nodiscard]] std::optional<Number> evaluate_expression(std::string_view text,
                                                        const ExpressionNames& names);

/// "s0" of "Symbol('s0', positive=True, integer=True)"; nullopt for anything else.
[[nodiscard]] std::optional<std::string> lone_symbol(const std::string& expression);

}  // namespace parity::model
