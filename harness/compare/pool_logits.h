// One comparison of logits out of several, as if all their positions had been compared at once.
// Sees facts alone: no logits are read again, so quantiles are bounds and say so.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/logits_facts.h"

namespace parity::compare {

/// A figure over some rows.
struct WeightedFigure {
  RowFigure figure;
  std::uint64_t rows = 0;
};

/// The mean is that of all rows, the maximum the largest. p99 is the largest of the parts', which
/// that of all rows cannot exceed.
[[nodiscard]] RowFigure pooled(const std::vector<WeightedFigure>& parts);

/// Counts add up, shares and means are weighted by finite positions, p99 is as above. A
/// top-k overlap is that of the parts that have one of its size. Of equal decided_gap. What is said
/// of single sequences is left out.
[[nodiscard]] LogitsComparison pooled(const std::vector<LogitsComparison>& parts);

}  // namespace parity::compare
