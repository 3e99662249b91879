// Whether what is said of logits can have come from logits, beside the comparison of the same
// tensor, and whether a decode is what its steps say. Judges nothing and knows no policy.
#pragma once

#include "pipeline/stored/agreement_rule.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// `tap`: the same output as a tensor, which was compared.
[[nodiscard]] Contradiction contradiction_of(const report::Logits& logits, const report::Tap& tap);

/// Of the decode of `item`, which has one.
[[nodiscard]] Contradiction contradiction_of_decode(const report::Case& item);

}  // namespace parity::pipeline
