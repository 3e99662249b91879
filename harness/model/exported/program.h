// Private to model/: an exported program of torch.export as its file states it: graphs of operator
// calls, the roles of their inputs and outputs, the modules that each call came from. Plain data;
// refuses to know JSON, torch and how anything runs.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/dtype.h"

namespace parity::model {

struct ProgramGraph;
struct ProgramArgument;

enum class ValueKind : std::uint8_t { tensor, number };

/// What an earlier call, or an input, gave. `slot` is set where a graph was laid out for running.
struct GraphValue {
  std::string name;
  ValueKind kind = ValueKind::tensor;
  std::size_t slot = 0;
};

enum class MemoryFormat : std::uint8_t { contiguous, channels_last, channels_last_3d, preserve };
enum class TensorLayout : std::uint8_t { strided, other };

struct DeviceName {
  std::string type;  ///< "cpu", "cuda"
  std::optional<std::int64_t> index;
};

struct ArgumentList {
  std::vector<ProgramArgument> items;
};

struct Subgraph {
  std::string name;
  std::shared_ptr<const ProgramGraph> graph;
};

/// A kind of argument that is not read, under its name in the file.
struct UnreadArgument {
  std::string kind;
};

/// monostate stands for Python's None.
struct ProgramArgument {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::complex<double>,
               GraphValue, tensor::DType, MemoryFormat, TensorLayout, DeviceName, ArgumentList,
               Subgraph, UnreadArgument>
      data;
};

struct NamedArgument {
  std::string name;  ///< of the operator's schema; "" for higher-order operators
  ProgramArgument argument;
};

/// One module call that an operator call lies in.
struct ModuleFrame {
  std::string call;  ///< tells the calls of one module apart
  std::string path;  ///< dotted, without the mark of a repeated call
  std::string type;  ///< "torch.nn.modules.linear.Linear"

  bool operator==(const ModuleFrame&) const = default;
};

struct ProgramNode {
  std::string target;  ///< "torch.ops.aten.linear.default", "_operator.mul"
  std::vector<NamedArgument> inputs;
  std::vector<ProgramArgument> outputs;  ///< GraphValue, ArgumentList of these, or None
  std::vector<ModuleFrame> modules;      ///< outermost first; empty where the file does not say
  std::string source;                    ///< "modeling.py:42"; "" where the file does not say
  std::optional<tensor::DType> made;     ///< dtype of its first result, where that is a tensor
};

/// A size or number: known, or a sympy expression as text.
using SymbolicSize = std::variant<std::int64_t, std::string>;

struct TensorMeta {
  std::optional<tensor::DType> dtype;  ///< nullopt: one that parity does not know
  std::vector<SymbolicSize> sizes;
};

struct ProgramGraph {
  std::vector<ProgramArgument> inputs;  ///< GraphValue or a constant
  std::vector<ProgramArgument> outputs;
  std::vector<ProgramNode> nodes;
  std::map<std::string, TensorMeta> tensors;
  std::map<std::string, SymbolicSize> integers;
};

enum class InputRole : std::uint8_t { user, constant, parameter, buffer, tensor_constant };

struct ProgramInput {
  InputRole role = InputRole::user;
  ProgramArgument argument;  ///< GraphValue, or for a constant its value
  std::string target;  ///< name of a parameter, buffer or tensor constant; else of the argument
};

/// A node of Python's tree of containers (pytree).
struct TreeSpec {
  std::string type;               ///< "builtins.dict"; "" for a leaf
  std::vector<std::string> keys;  ///< of children: dict keys or field names; empty for sequences
  std::vector<TreeSpec> children;

  [[nodiscard]] std::size_t leaves() const;
};

struct ModuleSignature {
  std::vector<ProgramArgument> outputs;
  TreeSpec output_tree;
};

struct RangeConstraint {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

struct Program {
  ProgramGraph graph;
  std::vector<ProgramInput> inputs;           ///< as many as the graph has
  std::vector<ProgramArgument> user_outputs;  ///< leaves of `output_tree`
  TreeSpec input_tree;                        ///< (positional tuple, keyword dict)
  TreeSpec output_tree;
  std::vector<std::string> argument_names;            ///< of forward; empty when the file says none
  std::map<std::string, ModuleSignature> signatures;  ///< by module path, where preserved
  std::map<std::string, RangeConstraint> ranges;      ///< by symbol
  std::vector<std::string> guards;                    ///< Python expressions over the inputs
  std::string torch_version;
  std::string schema_version;  ///< "8.17"
};

}  // namespace parity::model
