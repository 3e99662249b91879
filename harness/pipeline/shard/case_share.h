// Which process records which case: every one works it out alike from the inputs, without a word to
// the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/value.h"

namespace parity::pipeline {

/// Bytes of all tensors in it: what a case costs, near enough to share them out.
[[nodiscard]] std::uint64_t size_of(const tensor::Value& inputs);

/// By case, the shard that records it: the largest first, each to the shard that has the least so
/// far. Cases of one size go round: 0, 1, 2, 0, 1, ...
[[nodiscard]] std::vector<std::size_t> share_of_cases(const std::vector<std::uint64_t>& sizes,
                                                      std::size_t shard_count);

}  // namespace parity::pipeline
