// Whether a report that was read back says one thing only. The rules are in the files beside this
// one, by what they are about: a tensor's facts, a tap, logits, a decode, verdicts; here are those
// about a case and the whole report. Whoever makes all of it up from the first figure on is beyond
// what can be known.
#pragma once

#include <string>

#include "pipeline/stored/agreement_rule.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// The first that is found, with case and tap in front. Leaves the report as it is.
[[nodiscard]] Contradiction contradiction_of(report::Report& report);

/// Throws Error(usage): "FILE contradicts itself: " and the two figures that disagree.
void require_agreement(report::Report& report, const std::string& file);

}  // namespace parity::pipeline
