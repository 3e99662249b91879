// Private to the decoder: the keys and values of one layer's earlier tokens. Grows by concatenation
// as the library's does, since the layout of the result can decide the kernel.
#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

namespace parity::model {

/// Keys or values of one layer.
class CachedStates {
 public:
  /// `window`: tokens that a query sees, itself included; what no later token sees is dropped.
  explicit CachedStates(std::optional<std::int64_t> window) : window_(window) {}

  /// `states`: [batch, key/value heads, tokens, head_dim]. Returns all that attention reads now,
  /// the new ones last, in memory that the next step reads again: who writes to it changes the
  /// cache.
  [[nodiscard]] at::Tensor append(const at::Tensor& states);

 private:
  std::optional<std::int64_t> window_;
  at::Tensor kept_;
};

struct LayerCache {
  explicit LayerCache(std::optional<std::int64_t> window) : keys(window), values(window) {}

  CachedStates keys;
  CachedStates values;
};

}  // namespace parity::model
