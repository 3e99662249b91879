// Nights and what they changed as JSON, schema "parity-history/1" (docs/history.md).
// Judges nothing: changes and regressions come as history/ found them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history/changes.h"

namespace parity::report {

/// The newest `last` nights of each series; one line with a final newline.
[[nodiscard]] std::string history_json(const std::vector<history::Timeline>& timelines,
                                       std::size_t last);

}  // namespace parity::report
