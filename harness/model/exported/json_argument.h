// Private to model/: one argument, one node, one graph of an exported program from its JSON. Knows
// the schema's spelling alone.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "model/exported/program.h"

namespace parity::model {

/// What is wrong with a program's JSON, in a few words: "`sizes` is no list".
class MalformedProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stricter than the library, which takes null for an empty list, 1.5 and true for integers. Throw
/// MalformedProgram, or nlohmann::json::exception where the key is missing.
[[nodiscard]] const nlohmann::json& list_at(const nlohmann::json& object, const char* key);
[[nodiscard]] const nlohmann::json& object_at(const nlohmann::json& object, const char* key);
[[nodiscard]] std::int64_t whole_number(const nlohmann::json& value);

/// Throw MalformedProgram or nlohmann::json::exception where the JSON has not the form of the
/// schema.
[[nodiscard]] ProgramArgument argument_from_json(const nlohmann::json& json);
[[nodiscard]] ProgramGraph graph_from_json(const nlohmann::json& json);

/// {"as_int": 3} or {"as_expr": {"expr_str": ...}}.
[[nodiscard]] SymbolicSize size_of_json(const nlohmann::json& json);

/// nullopt for a number of the schema that parity has no dtype for.
[[nodiscard]] std::optional<tensor::DType> dtype_from_schema(std::int64_t number);

/// "model.layers.0" of the path of a repeated call, or of one through a slice of a list of modules.
[[nodiscard]] std::string plain_path(const std::string& path);

/// The innermost line outside PyTorch's own files of a Python stack trace: "modeling.py:42".
[[nodiscard]] std::string source_of_trace(const std::string& trace);

}  // namespace parity::model
