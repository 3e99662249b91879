// Whether all that a report holds of one tap goes together: its facts, what it introduces, its
// truth, its noise, and that nothing is there of what was not measured. Knows no policy.
#pragma once

#include <string>

#include "pipeline/stored/agreement_rule.h"
#include "report/data/report.h"

namespace parity::pipeline {

[[nodiscard]] Contradiction contradiction_of(const report::Tap& tap);

}  // namespace parity::pipeline
