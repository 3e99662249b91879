// What a policy would have judged and the comparison did not measure, in one sentence: a gate that
// lost a flag must not look like one that had it. Knows no bound but by the name of its metric.
#pragma once

#include <string>

#include "report/data/report.h"

namespace parity::report {

/// "not measured here, so that optional bounds on it judged nothing: introduced.nrmse"; empty where
/// all was measured.
[[nodiscard]] std::string unmeasured_text(const Report& report);

}  // namespace parity::report
