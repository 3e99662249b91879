// Bounds on what is known only after a tap was judged by itself: what it introduces, from the
// forced pass, and how far it is from the truth. They never make a verdict better.
#pragma once

#include "compare/facts.h"
#include "gate/policy.h"
#include "gate/rule_book.h"
#include "gate/truth.h"
#include "run/tap.h"

namespace parity::gate {

/// `judgement` of a tap, held to its rule's bound on candidate's over reference's nrmse against the
/// truth: beyond is
///
///     candidate > limit reference + u                        (u: unit roundoff of `dtype`)
///
/// `errors`: nullptr where the tap has no truth, which leaves a tap that has such a bound and is
/// not identical untested, unless the bound is optional. `dtype`: the coarser of the two sides.
[[nodiscard]] Judgement judge_truth_ratio(Judgement judgement, const Limits& limits,
                                          const TruthErrors* errors, tensor::DType dtype);

/// `judgement` of a tap, held to its rule's bounds on what it introduces. `introduced`: nullptr
/// where the forced pass did not measure it, which leaves a tap that has such a bound untested,
/// unless all of them are optional.
[[nodiscard]] Judgement judge_introduced(Judgement judgement, const Limits& limits,
                                         const compare::TensorComparison* introduced,
                                         tensor::DType dtype, const run::TapNoise* noise);

}  // namespace parity::gate
