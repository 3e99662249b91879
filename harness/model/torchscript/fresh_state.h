// Private to model/: does a run leave something behind? Copies of a module that a run may change as
// it likes, and whether it changed what the copies share.
#pragma once

#include <cstdint>

#include <torch/csrc/jit/api/module.h>

namespace parity::model {

/// A copy of the module with its own buffers and attributes, however nested; parameters and the
/// tensors that its code holds as constants are shared, since a forward pass that writes into them
/// is the exception (see Shared).
[[nodiscard]] torch::jit::Module copy_with_shared_weights(const torch::jit::Module& module);

/// What copies of a module share: its parameters, and the tensors that its code holds as constants.
class Shared {
 public:
  explicit Shared(const torch::jit::Module& module);

  /// Changes whenever an operator of PyTorch writes into one of them in place.
  [[nodiscard]] std::uint64_t version() const;

  /// Whether the code can write into them without a change of version(): through `.data`, whose
  /// tensors count their own versions, or by an operator of a custom library.
  [[nodiscard]] bool may_change_unseen() const { return may_change_unseen_; }

 private:
  std::vector<at::Tensor> tensors_;
  bool may_change_unseen_ = false;
};

}  // namespace parity::model
