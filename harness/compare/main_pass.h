// The one pass over both tensors: chunks of fixed size, each walked by one thread, joined in chunk
// order.
#pragma once

#include "compare/pair.h"
#include "compare/sides.h"
#include "compare/tally.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// Elements of one chunk: the unit of work of a thread and of the order of sums.
inline constexpr std::size_t kChunkElements = 65536;

struct MainPass {
  Tally tally;
  TensorSums sums;
};

/// `source` reads the same two views. `threads` changes the speed only, never a bit of the result.
[[nodiscard]] MainPass run_main_pass(Reference<tensor::TensorView> reference,
                                     Candidate<tensor::TensorView> candidate,
                                     const PairSource& source, std::size_t worst_count,
                                     int threads);

}  // namespace parity::compare
