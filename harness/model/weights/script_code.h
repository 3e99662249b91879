// What the code inside a TorchScript archive calls, and which layers do: for models that do not
// load. Reads the archive as text and plain data; compiles and runs nothing, and knows no operator.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::model {

/// An operator ("aten::relu", "my_ops::fused") or a custom class
/// ("__torch__.torch.classes.my_ops.Table"), and who uses it, in the order of the model's layers.
struct ScriptCall {
  std::string name;
  std::vector<std::string> layers;  ///< paths; the model itself is ""; a class that no layer is of
                                    ///< goes by its name, "class detector.Anchors"
};

/// All that any method of any class or function calls, also where control flow never comes by;
/// what helper functions and plain classes call counts for the layers that call these. Operators of
/// namespace prim are the interpreter's own and left out. In the order of their names.
/// Throws Error(model) when the file is no readable archive.
[[nodiscard]] std::vector<ScriptCall> script_calls(const std::filesystem::path& archive);

}  // namespace parity::model
