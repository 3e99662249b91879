// Which operator of a blamed tap computes something else than it should. Measures each against its
// own float64 value; whether that is more than rounding, gate/operator_blame.h decides.
#pragma once

#include "model/operator_trace.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// Lists the operators of the trace in `blame`, measures each against its float64 value and has the
/// gate single one out.
void judge_operators(const model::OperatorTrace& trace, report::Blame& blame);

}  // namespace parity::pipeline
