// Private to model/: which module instance a value in a graph stands for, and what PyTorch calls
// it. Class types will not do: instances share them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include <torch/csrc/jit/api/module.h>

namespace parity::model {

/// The module that a graph's method belongs to.
struct Frame {
  const torch::jit::Value* self = nullptr;
  c10::intrusive_ptr<c10::ivalue::Object> object;
  std::string path;
};

/// Paths of all modules below one root, by instance.
class ModulePaths {
 public:
  explicit ModulePaths(const torch::jit::Module& root);

  /// The instance behind `value` of the graph of `frame`; nullopt when it is chosen at run time.
  [[nodiscard]] std::optional<Frame> resolve(const torch::jit::Value* value,
                                             const Frame& frame) const;

 private:
  void add(const c10::intrusive_ptr<c10::ivalue::Object>& module, const std::string& path);

  /// An instance that hangs in several places goes by its first name, as in named_modules().
  std::unordered_map<const c10::ivalue::Object*, std::string> paths_;
};

/// "a.b"; the root's path is "".
[[nodiscard]] std::string joined_path(const std::string& path, const std::string& name);

/// True for forward and the names that tracing and overloading give it: forward1, forward__0.
[[nodiscard]] bool is_forward(const std::string& method);

/// Path of a call: the module's own for forward, with the method's name behind it for any other
/// method.
[[nodiscard]] std::string call_path(const std::string& path, const std::string& method);

}  // namespace parity::model
