// Private to model/: arithmetic of Python's bool, int and float as programs do it with sizes. One
// table for operators of a graph ("_operator.floordiv", "torch.sym_max") and for functions of
// symbolic expressions ("FloorDiv", "Max").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parity::model {

using Number = std::variant<bool, std::int64_t, double>;

/// By the function's name without its module. nullopt for a function that is not known, another
/// number of arguments, a division by zero or an integer beyond 64 bits.
[[nodiscard]] std::optional<Number> apply_function(const std::string& name,
                                                   const std::vector<Number>& arguments);

[[nodiscard]] bool is_number_function(const std::string& name);

[[nodiscard]] double as_double(const Number& number);
[[nodiscard]] bool is_true(const Number& number);
/// nullopt for a float.
[[nodiscard]] std::optional<std::int64_t> as_integer(const Number& number);

}  // namespace parity::model
