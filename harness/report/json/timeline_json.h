// A timeline in the Trace Event Format that chrome://tracing and ui.perfetto.dev show.
#pragma once

#include <string>

#include "run/timeline.h"

namespace parity::report {

/// One complete event ("X") for each span, times in microseconds; names of threads as metadata
/// events. `otherData` has the seconds that each thread was busy, spans inside others not counted.
[[nodiscard]] std::string timeline_json(const run::Timeline& timeline);

}  // namespace parity::report
