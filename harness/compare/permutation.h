// Whether one side holds the other's values in another order. Private to the hints; says nothing of
// where the values went.
#pragma once

#include <span>

#include "compare/pair.h"
#include "tensor/dtype.h"

namespace parity::compare {

/// Same values in another order: exactly for narrow types and integers (zeros of both signs are the
/// same value), within rounding for float32 and float64. False where a pair is not finite, and
/// where no value moved by more than rounding. Sorts both sides only where all else says yes.
[[nodiscard]] bool is_permutation(std::span<const Pair> pairs, tensor::DType dtype);

/// Of all pairs, which are read twice where they have to be sorted, to hold no more than needed.
[[nodiscard]] bool is_permutation(const PairSource& source);

}  // namespace parity::compare
