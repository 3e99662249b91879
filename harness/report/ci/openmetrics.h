// The report as OpenMetrics text, for Prometheus (docs/formats.md).
// Gives figures and verdicts as they are; alerts on them are the monitoring's business.
#pragma once

#include <string>

#include "report/data/report.h"

namespace parity::report {

/// Gauges by case and tap, with "# EOF" at the end. A figure that is NaN has no sample, since every
/// comparison of an alert with it would be false; an infinite one is "+Inf".
[[nodiscard]] std::string to_openmetrics(const Report& report);

}  // namespace parity::report
