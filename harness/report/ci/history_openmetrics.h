// The newest night of each series as OpenMetrics text, for Prometheus (docs/history.md).
// Knows no database: nights come as they were read.
#pragma once

#include <string>
#include <vector>

#include "history/changes.h"

namespace parity::report {

/// Gauges labelled by series, figures of the newest judged night also by case and tap; "# EOF" at
/// the end.
[[nodiscard]] std::string history_openmetrics(const std::vector<history::Timeline>& timelines);

}  // namespace parity::report
