// Faults that only logits can have: another best token where the choice was clear. Looks for the
// position by itself, since the comparison that is on trial must not say where to spoil.
#pragma once

#include <cstddef>
#include <optional>

#include "tensor/host_tensor.h"

namespace parity::fault {

/// The two best tokens of a position.
struct Choice {
  std::size_t row = 0;
  std::size_t best = 0;    ///< index in the row
  std::size_t second = 0;  ///< likewise
  double gap = 0;          ///< between their logits
};

/// Where the choice is clearest; nullopt where no row is finite or holds two tokens.
[[nodiscard]] std::optional<Choice> clearest_choice(const tensor::TensorView& logits);

/// The logits of the two best tokens there exchanged.
[[nodiscard]] tensor::HostTensor with_choice_flipped(const tensor::TensorView& logits,
                                                     const Choice& choice);

}  // namespace parity::fault
