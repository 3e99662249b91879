// The main pass over tensors of an 8-bit type: counts which pairs there are, then works the figures
// out of the counts. Knows nothing of how a pair is measured.
#pragma once

#include <cstddef>

#include "compare/main_pass.h"
#include "compare/pair.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// Both views have one dtype of one byte; `source` reads them. `threads` changes the speed only.
[[nodiscard]] MainPass run_byte_pass(Reference<tensor::TensorView> reference,
                                     Candidate<tensor::TensorView> candidate,
                                     const PairSource& source, std::size_t worst_count,
                                     int threads);

}  // namespace parity::compare
