// What the kernel gathers over two rows of logits, for the distance of their softmaxes.
#pragma once

#include <limits>

#include "compare/fused_kernel.h"

namespace parity::compare {

/// Sums over tokens in eight lanes. With a and b a token's logits less the largest of their rows:
/// p' = e^a, q' = e^b, change = b - a. A token that either side excludes (-Inf) has no change.
struct SoftmaxSums {
  alignas(64) LaneSum p{};         ///< p'
  alignas(64) LaneSum q{};         ///< q'
  alignas(64) LaneSum grown{};     ///< q' - p'
  alignas(64) LaneSum p_change{};  ///< p' * change
  alignas(64) LaneSum q_change{};  ///< q' * change

  double lowest_change = std::numeric_limits<double>::infinity();
  double highest_change = -std::numeric_limits<double>::infinity();
  /// Largest a of the tokens that the candidate alone excludes, b of those that the reference does.
  double best_p_alone = -std::numeric_limits<double>::infinity();
  double best_q_alone = -std::numeric_limits<double>::infinity();
  bool expect_near = true;  ///< the last block had small changes alone: what is tried first
};

}  // namespace parity::compare
