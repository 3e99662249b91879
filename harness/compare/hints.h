// Recognises patterns in the elements outside the bound and says so with evidence. Reads a bounded
// sample only. A pattern counts when it explains the difference: what it leaves is at most an
// eighth of it, in 95 % of the elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/facts.h"
#include "compare/pair.h"
#include "tensor/shape.h"

namespace parity::compare {

/// `sample`: flat indices of elements outside, ascending. Patterns: scaled, row_offset, shifted,
/// permuted, zeroed, clamped; several may hold. Ordinary rounding noise gives none.
[[nodiscard]] std::vector<Hint> find_hints(const PairSource& source, const tensor::Shape& shape,
                                           std::span<const std::uint64_t> sample);

}  // namespace parity::compare
