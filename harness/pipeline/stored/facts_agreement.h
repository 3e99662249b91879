// Whether the facts of one comparison of two tensors can have come from two tensors: counts, sums,
// histograms and places are held against each other. Judges nothing and knows no policy.
#pragma once

#include "compare/element_bound.h"
#include "compare/facts.h"
#include "pipeline/stored/agreement_rule.h"
#include "tensor/shape.h"

namespace parity::pipeline {

struct MeasuredFacts {
  const compare::TensorComparison& facts;
  /// What indices are in: the tap's, also where rows of it were compared; a complex number is two.
  tensor::Shape indexed;
  compare::ElementBound bound;  ///< by which elements are outside
};

[[nodiscard]] Contradiction contradiction_of(const MeasuredFacts& measured);

/// Of histograms and what is read off them.
[[nodiscard]] Contradiction contradiction_of_distributions(const MeasuredFacts& measured);
/// Of places: elements outside, and the worst ones with values and bits.
[[nodiscard]] Contradiction contradiction_of_places(const MeasuredFacts& measured);

/// Pairs of equal bits among the finite ones.
[[nodiscard]] std::uint64_t equal_finite(const compare::ClassCounts& classes);
/// Both sides in one format, so that a distance of 0 ulp is equality.
[[nodiscard]] bool is_one_format(const compare::TensorComparison& facts);

}  // namespace parity::pipeline
