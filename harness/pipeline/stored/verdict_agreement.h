// Whether the verdicts that a report states can have come from what it holds: none is better than
// its facts are under the bounds that it states, and all that follows from verdicts follows.
#pragma once

#include "pipeline/stored/agreement_rule.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// Of a tap, of logits or of the decode of `item`, named in front. The truth factor of the policy
/// that judged is in no report: the largest there is stands for it.
[[nodiscard]] Contradiction contradiction_of_verdicts(const report::Case& item,
                                                      const report::Report& report);

/// Of cases' and the report's own verdict, first divergence and totals, which one of the two
/// strictnesses gives. Leaves the report as it is.
[[nodiscard]] Contradiction contradiction_of_conclusion(report::Report& report);

}  // namespace parity::pipeline
